// Drive the AI SDK of Vercel: the tools as its own.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const require = createRequire(process.cwd() + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { createMCPClient } = await load("@ai-sdk/mcp");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");

const task = JSON.parse(process.argv[2]);
const transport = task.url
  ? { type: "http", url: task.url }
  : new StdioClientTransport(task.stdio);
const client = await createMCPClient({ transport });
const tools = await client.tools();
const result = await tools[task.tool].execute(task.arguments, { toolCallId: "1", messages: [] });
console.log(JSON.stringify({ tools: Object.keys(tools).length, answer: JSON.stringify(result) }));
await client.close();
