package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.testkit.TokenizerSamples;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that both jars give the same tokens, offsets, masks and texts. */
@Tag("reference")
class BothTokenizersTest {
    private static final int TEXTS = 10_000;
    private static final Path FILES = Path.of("../engine-text/src/test/resources/dev/millrace/text");
    private static final Class<?>[] TEXT = {String.class};
    private static final Class<?>[] PAIR = {String.class, String.class};
    private static final Class<?>[] LIST = {List.class};

    @BeforeAll
    static void openLibrary() {
        Side.assumeLibrary();
    }

    private static byte[] file(String name) throws IOException {
        if (name.equals("minilm")) {
            try (InputStream in = BothTokenizersTest.class.getResourceAsStream("/all-minilm-l6-v2-tokenizer.json")) {
                return Objects.requireNonNull(in).readAllBytes();
            }
        }
        return TokenizerSamples.withExactScores(Files.readString(FILES.resolve(name + ".json")))
                .getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"minilm, 110", "byte-level, 2400", "byte-fallback, 0", "roberta, 0", "unigram, 6900"})
    void tenThousandTextsHaveTheSameTokens(String name, int mostDifferent) throws Exception {
        var options = Map.of("truncation", "false", "padding", "false");
        Object ours = Side.OURS.open(file(name), options);
        Object djl = Side.DJL.open(file(name), options);
        var random = new SplittableRandom(1);
        int differentPlaces = 0;
        for (int i = 0; i < TEXTS; i++) {
            String text = TokenizerSamples.text(random);
            Object own = Side.call(ours, "encode", TEXT, text);
            Object expected = Side.call(djl, "encode", TEXT, text);
            assertThat(Side.described(own, false))
                    .as("text %d: %s", i, text)
                    .isEqualTo(Side.described(expected, false));
            differentPlaces += Side.described(own, true).equals(Side.described(expected, true)) ? 0 : 1;
            assertThat(Side.encloses(own, expected)).as("text %d: %s", i, text).isTrue();
        }
        // a char that the normalizer made of several ones stands for all of them here, and for one of them there
        assertThat(differentPlaces).isLessThanOrEqualTo(mostDifferent);
    }

    /** The results of the calls that programs make, with these options. */
    private static String answers(Side side, byte[] file, Map<String, String> options, boolean withPlaces)
            throws Exception {
        var text = new StringBuilder();
        try {
            Object tokenizer = side.open(file, options);
            for (String getter :
                    List.of("getTruncation", "getPadding", "getMaxLength", "getStride", "getPadToMultipleOf")) {
                text.append(getter)
                        .append(' ')
                        .append(Side.get(tokenizer, getter))
                        .append('\n');
            }
            String sentence = "The quick brown foxes jumped over undershot wheels 🦀 ok é";
            for (String each : List.of(sentence, "short", "")) {
                text.append(answer(() -> Side.described(Side.call(tokenizer, "encode", TEXT, each), withPlaces)));
                text.append(answer(() ->
                        Side.described(Side.call(tokenizer, "encode", PAIR, "What is it? 🦀", each), withPlaces)));
                text.append(answer(() -> Side.call(tokenizer, "tokenize", TEXT, each)));
                long[] ids = (long[]) Side.get(
                        Side.call(
                                tokenizer,
                                "encode",
                                new Class<?>[] {String.class, boolean.class, boolean.class},
                                "short",
                                true,
                                false),
                        "getIds");
                text.append(answer(() -> Side.call(tokenizer, "decode", new Class<?>[] {long[].class}, ids)));
                text.append(answer(() ->
                        Side.call(tokenizer, "decode", new Class<?>[] {long[].class, boolean.class}, ids, true)));
            }
            text.append(answer(() -> Side.described(
                    Side.call(tokenizer, "encode", LIST, List.of("undershot", "wheels", "🦀 a", "é")), withPlaces)));
            for (Object each : (Object[]) Side.call(tokenizer, "batchEncode", LIST, List.of("one", sentence, ""))) {
                text.append(Side.described(each, withPlaces)).append('\n');
            }
            text.append(Side.call(tokenizer, "buildSentence", LIST, List.of("hello", "##s", "w")));
        } catch (Exception e) {
            text.append(e.getClass()).append(e instanceof IllegalArgumentException ? e.getMessage() : "");
        }
        return text.toString();
    }

    private static String answer(Side.Call call) {
        try {
            return call.answer() + "\n";
        } catch (Exception e) {
            return e.getClass() + " " + e.getMessage() + "\n";
        }
    }

    private static void requireSame(String name, Map<String, String> options) throws Exception {
        // RoBERTa's offsets omit the space of a token unless it is the first one of a part
        boolean withPlaces = !name.equals("roberta") || !options.containsKey("withOverflowingTokens");
        assertThat(answers(Side.OURS, file(name), options, withPlaces))
                .as("%s %s", name, options)
                .isEqualTo(answers(Side.DJL, file(name), options, withPlaces));
    }

    @ParameterizedTest
    @ValueSource(strings = {"minilm", "byte-level", "byte-fallback", "roberta", "unigram"})
    void optionsMeanTheSame(String name) throws Exception {
        for (String line : OPTIONS.split("\n")) {
            var options = new LinkedHashMap<String, String>();
            for (String each : line.isBlank() ? new String[0] : line.split(" ")) {
                options.put(each.split("=")[0], each.split("=")[1]);
            }
            requireSame(name, options);
        }
    }

    private static final String OPTIONS = """

        padding=false
        truncation=false padding=false
        truncation=do_not_truncate
        truncation=true maxLength=8
        maxLength=8 padding=max_length
        maxLength=64 padding=max_length
        padding=longest padToMultipleOf=8 truncation=false
        padding=do_not_pad
        addSpecialTokens=false padding=false
        addSpecialTokens=false maxLength=5 withOverflowingTokens=true
        modelMaxLength=10
        modelMaxLength=10 maxLength=20
        modelMaxLength=5000 maxLength=4000
        maxLength=4000
        maxLength=0
        maxLength=1
        maxLength=16 stride=2 withOverflowingTokens=true
        maxLength=9 withOverflowingTokens=true padding=false
        maxLength=9 withOverflowingTokens=true
        truncation=only_first maxLength=8 withOverflowingTokens=true padding=false
        truncation=ONLY_FIRST maxLength=16 padToMultipleOf=5
        doLowerCase=true padding=false
        doLowerCase=false padding=MAX_LENGTH maxLength=12
        truncation=sometimes
        padding=sometimes\
        """.stripIndent();

    @Test
    void theSecondTextAloneMayBeCut() throws Exception {
        var options =
                Map.of("truncation", "only_second", "maxLength", "8", "stride", "1", "withOverflowingTokens", "true");
        String expected = Side.described(
                Side.call(Side.DJL.open(file("minilm"), options), "encode", PAIR, "a b", "c d e f g h i"), true);
        assertThat(Side.described(
                        Side.call(Side.OURS.open(file("minilm"), options), "encode", PAIR, "a b", "c d e f g h i"),
                        true))
                .isEqualTo(expected)
                .contains("  and ");
    }

    @Test
    void aClosedTokenizerIsRefused() throws Exception {
        for (Side side : List.of(Side.OURS, Side.DJL)) {
            Object tokenizer = side.open(file("minilm"), Map.of());
            assertThat(Side.get(tokenizer, "isReleased")).isEqualTo(false);
            Side.get(tokenizer, "close");
            Side.get(tokenizer, "close");
            assertThat(Side.get(tokenizer, "isReleased")).isEqualTo(true);
            assertThat(answer(() -> Side.call(tokenizer, "encode", TEXT, "a")))
                    .isEqualTo("class java.lang.IllegalStateException Native resource has been released already.\n");
            assertThat(answer(() -> Side.call(side.open(file("minilm"), Map.of()), "encode", TEXT, (Object) null)))
                    .isEqualTo("class java.lang.NullPointerException text cannot be null\n");
            assertThat(answer(() -> Side.call(
                            side.open(file("minilm"), Map.of()), "batchEncode", LIST, Arrays.asList("a", null))))
                    .isEqualTo("class java.lang.NullPointerException input text cannot be null\n");
        }
    }
}
