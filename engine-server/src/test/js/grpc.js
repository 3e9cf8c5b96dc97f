// Asks the server by grpc-js: node grpc.js PORT PROTO_FOLDER
import assert from 'node:assert/strict';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const [port, folder] = process.argv.slice(2);
const definition = loader.loadSync('grpc_service.proto', {includeDirs: [folder], longs: Number, keepCase: true, defaults: true});
const {GRPCInferenceService} = grpc.loadPackageDefinition(definition).inference;
const client = new GRPCInferenceService(`127.0.0.1:${port}`, grpc.credentials.createInsecure());

const call = (method, request) =>
  new Promise((resolve, reject) => client[method](request, (failure, answer) => (failure ? reject(failure) : resolve(answer))));

assert.equal((await call('ServerLive', {})).live, true);
assert.equal((await call('ModelReady', {name: 'plus'})).ready, true);
const metadata = await call('ModelMetadata', {name: 'plus'});
assert.deepEqual(metadata.inputs.map((each) => [each.name, each.datatype]), [['x', 'FP32']]);

const input = {name: 'x', datatype: 'FP32', shape: [1, 1]};
const typed = await call('ModelInfer', {model_name: 'plus', inputs: [{...input, contents: {fp32_contents: [2]}}]});
assert.equal(typed.raw_output_contents[0].readFloatLE(0), 3);
const raw = Buffer.alloc(4);
raw.writeFloatLE(4);
const request = {model_name: 'plus', id: 'seven', inputs: [input], raw_input_contents: [raw]};
const binary = await call('ModelInfer', request);
assert.equal(binary.id, 'seven');
assert.equal(binary.raw_output_contents[0].readFloatLE(0), 5);

await assert.rejects(call('ModelInfer', {model_name: 'gone'}), (failure) => failure.code === grpc.status.NOT_FOUND);

const answers = await new Promise((resolve, reject) => {
  const all = [];
  const stream = client.ModelStreamInfer();
  stream.on('data', (each) => all.push(each));
  stream.on('error', reject);
  stream.on('end', () => resolve(all));
  stream.write(request);
  stream.write({model_name: 'gone'});
  stream.write(request);
  stream.end();
});
assert.deepEqual(answers.map((each) => each.error_message === ''), [true, false, true]);
client.close();
console.log('grpc-js: all answers are right');
