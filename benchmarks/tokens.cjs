// Tokens (o200k) of the text on stdin: `node tokens.cjs FOLDER_OF_NODE_MODULES`; `… --lines`: of its lines, one by one.
const { createRequire } = require("node:module");
const { countTokens } = createRequire(process.argv[2] + "/")("gpt-tokenizer/encoding/o200k_base");
const text = require("node:fs").readFileSync(0, "utf8");
const parts = process.argv[3] === "--lines" ? text.split("\n") : [text];
console.log(parts.reduce((sum, part) => sum + countTokens(part), 0));
