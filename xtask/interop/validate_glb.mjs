// Runs Khronos' validator over .glb files: node validate_glb.mjs MODULES_FOLDER FILE...
// Prints what it found; exits with 1 if any file has an error.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

const [modules, ...files] = process.argv.slice(2);
const validator = createRequire(join(modules, 'index.js'))('gltf-validator');

let failed = files.length === 0;
for (const file of files) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { uri: basename(file), maxIssues: 20 });
  const { numErrors, numWarnings, numInfos, messages } = report.issues;
  console.log(`gltf-validator: ${basename(file)}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos`);
  for (const message of messages.filter(({ severity }) => severity <= 1)) {
    console.log(`  ${message.code} at ${message.pointer}: ${message.message}`);
  }
  failed ||= numErrors > 0;
}
process.exit(failed ? 1 : 0);
