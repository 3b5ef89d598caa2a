// Drive the command line of the MCP Inspector, once for the list and once for the call.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const task = JSON.parse(process.argv[2]);
const own = `${process.cwd()}/node_modules/node/bin/node`;
const node = existsSync(own) ? own : process.execPath;
const inspector = `${process.cwd()}/node_modules/.bin/mcp-inspector`;
const server = task.url
  ? [task.url, "--transport", "http"]
  : [task.stdio.command, ...task.stdio.args];
const variables = Object.entries(task.stdio?.env ?? {}).flatMap(([key, value]) => ["-e", `${key}=${value}`]);

function run(words) {
  const before = task.url ? server : [];
  const after = task.url ? [] : server;
  const command = [inspector, "--cli", ...variables, ...before, ...after, "--method", ...words];
  return JSON.parse(execFileSync(node, command, { maxBuffer: 2 ** 28, encoding: "utf8" }));
}

const given = Object.entries(task.arguments).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
const { tools } = run(["tools/list"]);
const result = run(["tools/call", "--tool-name", task.tool, ...given]);
console.log(JSON.stringify({ tools: tools.length, answer: result.content[0].text }));
