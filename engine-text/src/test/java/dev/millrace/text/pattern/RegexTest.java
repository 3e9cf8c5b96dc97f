package dev.millrace.text.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.text.limit.Budget;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegexTest {
    private static final String ALPHABET = "aabbbcAB 1\n\r é水水'-_";

    private static List<String> found(String expression, String text) {
        var found = new ArrayList<String>();
        Search.Matches matches = Regex.of(expression).in(text, Budget.of(text.length(), 1, null));
        while (matches.next()) {
            found.add(matches.start() + "-" + matches.end());
        }
        return found;
    }

    private static List<String> expected(String expression, String text) {
        var found = new ArrayList<String>();
        Matcher matcher =
                Pattern.compile(expression, Pattern.UNICODE_CHARACTER_CLASS).matcher(text);
        while (matcher.find()) {
            if (matcher.end() > matcher.start()) {
                found.add(matcher.start() + "-" + matcher.end());
            }
        }
        return found;
    }

    private static String text(Random random) {
        int[] points = ALPHABET.codePoints().toArray();
        var text = new StringBuilder();
        for (int i = random.nextInt(14); i > 0; i--) {
            text.appendCodePoint(points[random.nextInt(points.length)]);
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
                "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r"
                        + "\\n"
                        + "\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r"
                        + "\\n"
                        + "]*|\\s*[\\r"
                        + "\\n"
                        + "]+|\\s+(?!\\S)|\\s+",
                "[^\\r"
                    + "\\n"
                    + "\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t)?|\\p{N}{1,3}|"
                    + " ?[^\\s\\p{L}\\p{N}]+[\\r"
                    + "\\n"
                    + "/]*|\\s*[\\r"
                    + "\\n"
                    + "]+|\\s+(?!\\S)|\\s+",
                "^ +| +$|(?m)^a|b$",
                "\\bb+\\b|\\B.",
                "(?<=a)b|(?<!b)a|(?<=a{1,3}b)c",
                "(?>a+)b|a*+|x?+b",
                "(?:(?=a)){9}a{2}|b{1,2}?|(?:ab){2,3}|c{0}b",
                "a.b|(?s)a.*?b",
                "\\Qa'\\E+|\\x61|\\u0062|\\x{6c34}|\\ud83e\\udd80|\\t|\\061",
                "[a-c&&[^b]]|[\\Q]\\E'-]|[]1]|[^a-z\\s]+",
                "(?i)AB|(?-i)B|É",
                "(?<name>a|b)+?c|((a)|(b))*1",
                "\\R|\\h+|\\v|\\d|\\W",
                "\\Aa|b\\z|\\p{IsHan}|\\pN|\\P{L}",
                "(a|b)*|c|(?=b)|é*?水",
                "",
                "(?:a*?b|b+?)+? "
            })
    void expressionsFindWhatThoseOfTheJdkFind(String expression) {
        var random = new Random(5);
        for (int i = 0; i < 1000; i++) {
            String text = text(random);
            assertThat(found(expression, text)).as(text).isEqualTo(expected(expression, text));
        }
    }

    private static String leaf(Random random) {
        return List.of("a", "[ab]", "\\s", ".", "\\p{L}", "水").get(random.nextInt(6));
    }

    private static String inner(Random random, int depth) {
        return leaf(random) + expression(random, depth + 1);
    }

    /** Without loops over what may be empty and matches within surrogate pairs, where the JDK's own engine has its ways. */
    private static String expression(Random random, int depth) {
        String atom = switch (random.nextInt(depth > 3 ? 1 : 5)) {
            case 0 -> leaf(random);
            case 1 -> "(?:" + inner(random, depth) + "|" + inner(random, depth) + ")";
            case 2 -> "(?=" + inner(random, depth) + ")b";
            case 3 -> "(?>" + inner(random, depth) + ")";
            default -> "(" + inner(random, depth) + ")";
        };
        String[] quantifiers = {"", "", "", "?", "{1,2}", "{2}", "+", "+?", "??", "++"};
        String made = atom + quantifiers[random.nextInt(quantifiers.length)];
        return random.nextInt(3) > 0 ? made : "b?" + made + expression(random, depth + 1);
    }

    @Test
    void randomExpressionsFindWhatThoseOfTheJdkFind() {
        var random = new Random(11);
        for (int i = 0; i < 1000; i++) {
            String expression = expression(random, 0);
            for (int j = 0; j < 20; j++) {
                String text = text(random);
                assertThat(found(expression, text))
                        .as(expression + " in " + text)
                        .isEqualTo(expected(expression, text));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a*)*x",
                "(a|a?)*x",
                "(?=(a+)+x)a",
                "(?>(a|a)*x)",
                // without a look at the text
                "a*(?!(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)x)y"
            })
    void anExpressionThatFindsNoEndIsStopped(String expression) {
        Regex regex = Regex.of(expression);
        String text = "a".repeat(60);
        assertThatThrownBy(
                        () -> regex.in(text, Budget.of(text.length(), 1, null)).next())
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("repetitions inside of repetitions");
    }

    @Test
    void anExpressionIsCancelled() throws Exception {
        Regex regex = Regex.of("(a*)*x");
        String text = "a".repeat(1_000_000);
        var cancellation = new Cancellation();
        var run = CompletableFuture.runAsync(
                () -> regex.in(text, Budget.of(text.length(), 1, cancellation)).next());
        cancellation.cancel();
        assertThatThrownBy(() -> run.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.CANCELLED));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a|b)*c",
                "[ab]*c",
                "(?:ab|a|b)+$x",
                "[ab]+[ab]+c",
                "(?=a)[ab]+?c|a*x",
                "[ab]{3,}c",
                "([ab]+)+x",
                "(a|b|a|b)*x",
                "(a|b|ab)*x",
                "[ab]*(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)x"
            })
    void aSearchInVainIsLinear(String expression) {
        assertThat(found(expression, "ab".repeat(50_000))).isEmpty();
    }

    @Test
    void whatIsKnownToFailIsForgottenBehindAMatch() {
        String text = ("ab".repeat(500) + "c").repeat(6) + "ab".repeat(500);
        assertThat(found("(a|b)*c|[ab]+c|b", text)).hasSize(6 + 500);
        assertThat(found("[ab]+d|a[ab]*c|(?:a|b)+c|b", text)).hasSize(6 + 500);
    }

    @Test
    void whatIsEmptyIsRepeatedOnce() {
        assertThat(found("(?:){1000000000}a", "ba")).containsExactly("1-2");
    }

    @Test
    void aChoiceIsRepeatedOnALongText() {
        String text = "ab".repeat(100_000) + "c";
        assertThat(found("(a|b)*c", text)).containsExactly("0-200001");
    }

    @ParameterizedTest
    @ValueSource(strings = {"(a)\\1", "\\X", "\\Ga", "(?x)a b", "(((a{1,1000}){1,1000}){1,1000})x", "(?:|a){1000000}"})
    void anExpressionThatIsNotSupportedIsRefused(String expression) {
        assertThatThrownBy(() -> Regex.of(expression)).isInstanceOf(EngineException.class);
    }
}
