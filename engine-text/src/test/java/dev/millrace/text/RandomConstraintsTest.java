package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Answers of a model that draws any allowed token, for schemas and expressions by chance. */
class RandomConstraintsTest {
    private static final int SCHEMAS = 1000;
    private static final int EXPRESSIONS = 200;

    private static List<Tokenizer> tokenizers() throws IOException {
        return List.of(
                GoldenTest.tokenizer("byte-level").withoutMarks(),
                GoldenTest.tokenizer("byte-fallback").withoutMarks(),
                GoldenTest.tokenizer("roberta").withoutMarks());
    }

    @Test
    void answersFulfilTheirSchemas() throws IOException {
        List<Tokenizer> tokenizers = tokenizers();
        int refused = 0;
        for (int seed = 0; seed < SCHEMAS; seed++) {
            var random = new SplittableRandom(seed);
            Map<String, @Nullable Object> schema = new RandomSchemas(random).next();
            Tokenizer tokenizer = tokenizers.get(seed % 10 == 0 ? 1 : seed % 2 * 2);
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
            Tokenizer tokenizer = tokenizers.get(seed % 2 * 2);
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
