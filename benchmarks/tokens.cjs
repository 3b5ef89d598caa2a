// Tokens (o200k) of the text on stdin: `node tokens.cjs FOLDER_OF_NODE_MODULES`.
const { createRequire } = require("node:module");
const { countTokens } = createRequire(process.argv[2] + "/")("gpt-tokenizer/encoding/o200k_base");
console.log(countTokens(require("node:fs").readFileSync(0, "utf8")));
