// Asks the server by OpenAI's client: node openai.js PORT
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const client = new OpenAI({baseURL: `http://127.0.0.1:${process.argv[2]}/v1`, apiKey: 'secret', maxRetries: 0});

const models = [];
for await (const each of client.models.list()) {
  models.push(each.id);
}
assert.ok(models.includes('mill') && models.includes('minilm'));

// the client asks for base64, and decodes it
const vectors = await client.embeddings.create({model: 'minilm', input: ['a mill', 'water'], dimensions: 8});
assert.deepEqual(vectors.data.map((each) => each.embedding.length), [8, 8]);
assert.ok(Math.abs(vectors.data[0].embedding.reduce((sum, each) => sum + each * each, 0) - 1) < 1e-4);

const messages = [{role: 'user', content: 'one'}];
const answer = await client.chat.completions.create({model: 'mill', messages});
assert.equal(answer.choices[0].message.content, 'the mill runs');
assert.equal(answer.choices[0].finish_reason, 'stop');
assert.equal(answer.usage.completion_tokens, 4);

let text = '';
let usage = null;
const options = {model: 'mill', messages, stream: true, stream_options: {include_usage: true}};
for await (const part of await client.chat.completions.create(options)) {
  text += part.choices[0]?.delta?.content ?? '';
  usage = part.usage ?? usage;
}
assert.equal(text, 'the mill runs');
assert.equal(usage.total_tokens, usage.prompt_tokens + 4);

const completion = await client.completions.create({model: 'mill', prompt: 'bot', max_tokens: 2});
assert.equal(completion.choices[0].text, ' the mill');

await assert.rejects(
  client.chat.completions.create({model: 'gone', messages}),
  (failure) => failure instanceof OpenAI.NotFoundError && failure.code === 'model_not_found',
);
console.log('openai: all answers are right');
