package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.session.generate.TokenConstraint;
import dev.millrace.text.constraint.TokenTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Answers of a model that draws any allowed token, for schemas and expressions by chance. */
class RandomConstraintsTest {
    private static final int SCHEMAS = 1000;
    private static final int EXPRESSIONS = 200;
    private static final int MOST_IDS = 1000;

    private static List<Tokenizer> tokenizers() throws IOException {
        return List.of(
                GoldenTest.tokenizer("byte-level").withoutMarks(),
                withBytes(),
                GoldenTest.tokenizer("roberta").withoutMarks());
    }

    /** Returns a tokenizer in the way of SentencePiece, with tokens for all bytes. */
    private static Tokenizer withBytes() throws IOException {
        String file = new String(GoldenTest.content("byte-fallback.json"), StandardCharsets.UTF_8);
        String bytes = IntStream.range(0, 256)
                .mapToObj(each -> "\"<0x%02X>\": %d,".formatted(each, MOST_IDS - 256 + each))
                .collect(Collectors.joining());
        return Tokenizer.of(file.replaceFirst("\"vocab\": *\\{", "\"vocab\": {" + bytes)
                        .getBytes(StandardCharsets.UTF_8))
                .withoutMarks();
    }

    @Test
    void answersFulfilTheirSchemas() throws IOException {
        List<Tokenizer> tokenizers = tokenizers();
        int refused = 0;
        for (int seed = 0; seed < SCHEMAS; seed++) {
            var random = new SplittableRandom(seed);
            Map<String, @Nullable Object> schema = new RandomSchemas(random).next();
            Tokenizer tokenizer = tokenizers.get(seed % tokenizers.size());
            String text = JsonText.write(schema);
            TextConstraint constraint;
            try {
                constraint = TextConstraint.jsonSchema(tokenizer, text);
            } catch (EngineException e) {
                assertThat(e)
                        .as(seed + ": " + text)
                        .message()
                        .containsAnyOf("the schema describes no text", "supported");
                refused++;
                continue;
            }
            var validator = new SchemaValidator(schema);
            for (int i = 0; i < 3; i++) {
                String answer = new Answers(tokenizer, random, "\"}]0:n").answer(constraint);
                assertThat(validator.isValid(JsonText.read(answer)))
                        .as("seed %d: %s for %s", seed, answer, text)
                        .isTrue();
                assertThat(constraint.matches(answer)).as(answer).isTrue();
            }
        }
        assertThat(refused).isBetween(1, SCHEMAS / 4);
    }

    @Test
    void answersMatchTheirExpressions() throws IOException {
        List<Tokenizer> tokenizers = tokenizers();
        for (int seed = 0; seed < EXPRESSIONS; seed++) {
            var random = new SplittableRandom(seed);
            String expression = expression(random, 4);
            Tokenizer tokenizer = tokenizers.get(seed % tokenizers.size());
            TextConstraint constraint = TextConstraint.regex(tokenizer, expression);
            for (int i = 0; i < 5; i++) {
                String answer = new Answers(tokenizer, random, "aé🦀.0 水").answer(constraint);
                assertThat(answer).as("seed " + seed).matches(expression);
                String other = answer + (char) random.nextInt('!', 'z');
                assertThat(constraint.matches(other))
                        .as("seed %d: %s for %s", seed, other, expression)
                        .isEqualTo(other.matches(expression));
            }
        }
    }

    @Test
    void masksHaveTheTokensThatGoOnByThemselves() throws IOException {
        for (Tokenizer tokenizer : tokenizers()) {
            TextConstraint constraint = TextConstraint.jsonSchema(tokenizer, """
                {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "minLength": 3, "maxLength": 12},
                 "b": {"items": {"type": ["number", "null"]}}}, "additionalProperties": true}\
                """);
            long[] prompt = tokenizer.encode("A").ids();
            for (int seed = 0; seed < 20; seed++) {
                var random = new SplittableRandom(seed);
                String answer = new Answers(tokenizer, random, "\"}]0:n").answer(constraint);
                byte[] begun = answer.substring(0, answer.offsetByCodePoints(0, random.nextInt(4)))
                        .getBytes(StandardCharsets.UTF_8);
                TokenTable table = tokenizer.table();
                TokenConstraint.State state = behind(constraint, prompt, table, begun);
                var expected = new BitSet();
                for (int id = 0; id < MOST_IDS; id++) {
                    TokenConstraint.State other = behind(constraint, prompt, table, begun);
                    try {
                        other.accept(id);
                        expected.set(id);
                    } catch (EngineException e) {
                        assertThat(e).hasMessageContaining("none that the constraint allows");
                    }
                }
                assertThat(state.allowed()).as(answer).isEqualTo(expected);
            }
        }
    }

    /** Returns the state behind bytes, each of which is a token or begins one. */
    private static TokenConstraint.State behind(
            TextConstraint constraint, long[] prompt, TokenTable table, byte[] text) {
        TokenConstraint.State state = constraint.begin(prompt);
        for (int at = 0; at < text.length; ) {
            int length = 0;
            int best = -1;
            for (int id = 0; id < MOST_IDS; id++) {
                byte[] bytes = table.bytes(id, false);
                if (bytes != null
                        && bytes.length > length
                        && at + bytes.length <= text.length
                        && Arrays.equals(bytes, 0, bytes.length, text, at, at + bytes.length)) {
                    best = id;
                    length = bytes.length;
                }
            }
            state.accept(best);
            at += length;
        }
        return state;
    }

    @Test
    void aConstraintServesManyThreads() throws IOException {
        Tokenizer tokenizer = tokenizers().getFirst();
        TextConstraint json = TextConstraint.json(tokenizer);
        assertThat(IntStream.range(0, 200)
                        .parallel()
                        .mapToObj(seed -> new Answers(tokenizer, new SplittableRandom(seed), "\"}]0:n").answer(json)))
                .allMatch(answer -> {
                    JsonText.read(answer);
                    return json.matches(answer);
                });
    }

    @Test
    void masksOfALargeVocabularyTakeLittleTime() {
        var vocabulary = new LinkedHashMap<String, @Nullable Object>();
        for (int each = ' '; each < 127; each++) {
            vocabulary.put(Character.toString(each), vocabulary.size());
        }
        var random = new SplittableRandom(1);
        while (vocabulary.size() < 32_000) {
            var token = new StringBuilder(random.nextBoolean() ? " " : "");
            for (int length = 2 + random.nextInt(7); length > 0; length--) {
                token.append((char) ('a' + random.nextInt(26)));
            }
            vocabulary.putIfAbsent(token.toString(), vocabulary.size());
        }
        String file = JsonText.write(Map.of(
                "model",
                Map.of("type", "BPE", "vocab", vocabulary, "merges", List.of()),
                "decoder",
                Map.of("type", "Fuse")));
        Tokenizer tokenizer = Tokenizer.of(file.getBytes(StandardCharsets.UTF_8));
        TextConstraint constraint = TextConstraint.regex(tokenizer, "\\w[\\w ]{1,500}");
        long begin = System.nanoTime();
        int masks = 0;
        for (int round = 0; round < 10; round++) {
            TokenConstraint.State state = constraint.begin(new long[0]);
            for (int i = 0; i < 100; i++) {
                masks += Objects.requireNonNull(state.allowed()).cardinality() > 30_000 ? 1 : 0;
                state.accept(tokenizer.id("a"));
            }
        }
        assertThat(masks).isEqualTo(990);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
    }

    private static String expression(SplittableRandom random, int depth) {
        List<String> atoms =
                List.of("a", "é", "🦀", "\\.", "[a-f0-9]", "[^x\\n]", "\\d", "\\W", "\\s", "[\\w水-火]", ".");
        return switch (random.nextInt(depth > 0 ? 6 : 1)) {
            case 1 -> "(?:" + expression(random, depth - 1) + "|" + expression(random, depth - 1) + ")";
            case 2 ->
                "(" + expression(random, depth - 1) + ")"
                        + List.of("*", "+", "?", "{2}", "{1,3}", "{2,}?").get(random.nextInt(6));
            case 3, 4 -> expression(random, depth - 1) + expression(random, depth - 1);
            case 5 -> "(?i:" + expression(random, depth - 1) + ")";
            default -> atoms.get(random.nextInt(atoms.size()));
        };
    }
}
