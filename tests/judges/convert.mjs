// Reads an OpenAPI or Swagger document (JSON or YAML) and writes it as OpenAPI 3 JSON, the only thing the referee reads.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
const require = createRequire(process.argv[2] + "/");
const yaml = require("yaml");
const converter = require("swagger2openapi");
const text = readFileSync(process.argv[3], "utf8").replace(/^\uFEFF/, "");
let document;
try {
  document = JSON.parse(text);
} catch {
  document = yaml.parse(text, { maxAliasCount: -1 });
}
if (document.swagger) {
  document = (await converter.convertObj(document, { patch: true, warnOnly: true, resolveInternal: false })).openapi;
}
writeFileSync(process.argv[4], JSON.stringify(document));
