// Compiles every schema of a tools/list as the TypeScript SDK's client does; prints what does not compile, as JSON.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const require = createRequire(process.argv[2] + "/");
const { Ajv } = require("ajv");
const addFormats = require("ajv-formats").default;
const tools = JSON.parse(readFileSync(process.argv[3], "utf8"));
const faults = [];
for (const tool of tools) {
  for (const key of ["inputSchema", "outputSchema"]) {
    if (!tool[key]) continue;
    const ajv = new Ajv({ strict: false, validateFormats: true, validateSchema: false, allErrors: true });
    addFormats(ajv);
    try {
      ajv.compile(tool[key]);
    } catch (error) {
      faults.push([tool.name, `${key}: ${error.message}`.slice(0, 200)]);
    }
  }
}
console.log(JSON.stringify(faults));
