// Drive mcporter, once for the list and once for the call.
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

const task = JSON.parse(process.argv[2]);
const folder = mkdtempSync(`${tmpdir()}/mcporter-`);
const server = task.url ? { baseUrl: task.url } : task.stdio;
writeFileSync(`${folder}/mcporter.json`, JSON.stringify({ mcpServers: { server } }));
const program = `${process.cwd()}/node_modules/.bin/mcporter`;

function run(...words) {
  const command = [program, "--config", `${folder}/mcporter.json`, ...words];
  const options = { env: process.env, maxBuffer: 2 ** 28, encoding: "utf8" };
  return execFileSync(process.execPath, command, options);
}

const given = Object.entries(task.arguments).map(([key, value]) => `${key}=${value}`);
const { tools } = JSON.parse(run("list", "server", "--json", "--timeout", "120000"));
const answer = run("call", `server.${task.tool}`, ...given, "--timeout", "120000");
console.log(JSON.stringify({ tools: tools.length, answer }));
