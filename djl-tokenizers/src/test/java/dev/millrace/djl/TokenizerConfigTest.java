package dev.millrace.djl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of tokenizers with a configuration, of their builders and of wrong arguments over both jars. */
@Tag("reference")
class TokenizerConfigTest {
    private static final Path TOKENIZER = Path.of("../engine-text/src/test/resources/dev/millrace/text/byte-level.json")
            .toAbsolutePath();
    private static final Class<?>[] TEXT = {String.class};
    private static final Class<?>[] IDS = {long[].class, boolean.class};
    private static final Class<?>[] BATCH_OF_IDS = {long[][].class, boolean.class};
    private static final String SENTENCE = "I don't know , he said . Really ? Yes !";

    @TempDir
    private Path folder;

    @BeforeAll
    static void openLibrary() {
        Side.assumeLibrary();
    }

    private String config(String content) throws IOException {
        return Files.writeString(folder.resolve("tokenizer_config.json"), content)
                .toString();
    }

    private static Object open(Side side, @Nullable String config, Map<String, String> options) throws Exception {
        var all = new LinkedHashMap<String, Object>(options);
        all.put("tokenizerPath", TOKENIZER.toString());
        if (config != null) {
            all.put("tokenizerConfigPath", config);
        }
        return side.build(all);
    }

    private static Object openByPath(Side side, String config, Map<String, String> options) throws Exception {
        return side.inContext(() -> Side.call(
                side.type("HuggingFaceTokenizer").getMethod("newInstance", Path.class, String.class, Map.class),
                null,
                TOKENIZER,
                config,
                options));
    }

    private static String answers(Object tokenizer) throws Exception {
        long[] ids = (long[]) Side.get(Side.call(tokenizer, "encode", TEXT, SENTENCE), "getIds");
        return Side.get(tokenizer, "getMaxLength")
                + Side.described(Side.call(tokenizer, "encode", TEXT, SENTENCE), true)
                + Side.call(tokenizer, "decode", IDS, ids, true)
                + List.of((String[]) Side.call(tokenizer, "batchDecode", BATCH_OF_IDS, new long[][] {ids}, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'model_max_length': 7}",
                "{'tokenizer_class': 'GPT2Tokenizer'}",
                "{'cls_token': '<s>', 'clean_up_tokenization_spaces': true}",
                "{'bos_token': '<s>', 'clean_up_tokenization_spaces': false}",
                "{'pad_token': '</s>', 'model_max_length': 100}"
            })
    void aConfigurationMeansTheSame(String content) throws Exception {
        String config = config(content.replace('\'', '"'));
        for (Map<String, String> options :
                List.of(Map.<String, String>of(), Map.of("addSpecialTokens", "true", "padding", "max_length"))) {
            assertThat(answers(openByPath(Side.OURS, config, options)))
                    .isEqualTo(answers(openByPath(Side.DJL, config, options)));
            assertThat(answers(open(Side.OURS, config, options))).isEqualTo(answers(open(Side.DJL, config, options)));
        }
    }

    @Test
    void withoutSpecialTokensInTheConfigurationNoneAreAdded() throws Exception {
        Object tokenizer = openByPath(Side.OURS, config("{}"), Map.of());
        assertThat((String[]) Side.get(Side.call(tokenizer, "encode", TEXT, "a"), "getTokens"))
                .containsExactly("a");
    }

    @Test
    void spacesAreCleanedUpIfTheConfigurationSaysSo() throws Exception {
        String config = config("{\"bos_token\": \"<s>\", \"clean_up_tokenization_spaces\": true}");
        for (Side side : List.of(Side.OURS, Side.DJL)) {
            Object tokenizer = openByPath(side, config, Map.of());
            long[] ids = (long[]) Side.get(Side.call(tokenizer, "encode", TEXT, SENTENCE), "getIds");
            assertThat(Side.call(tokenizer, "decode", IDS, ids, true)).isEqualTo("I don't know, he said. Really? Yes!");
            assertThat((String[]) Side.call(tokenizer, "batchDecode", BATCH_OF_IDS, new long[][] {ids}, true))
                    .containsExactly(SENTENCE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"10 8 512", "10 8 12", "16 8 512", "20 100 300", "10 8 8"})
    void paddingToMultiplesRoundsTheMostTokens(String numbers) throws Exception {
        String[] each = numbers.split(" ");
        var options = Map.of(
                "padding", "max_length", "maxLength", each[0], "padToMultipleOf", each[1], "modelMaxLength", each[2]);
        assertThat(answers(open(Side.OURS, null, options))).isEqualTo(answers(open(Side.DJL, null, options)));
    }

    @Test
    void aBuilderNeedsFiles() {
        for (Side side : List.of(Side.OURS, Side.DJL)) {
            assertThatThrownBy(() -> side.build(Map.of())).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> side.build(Map.of("tokenizerPath", "/no/such.json")))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> open(side, "/no/such.json", Map.of())).isInstanceOf(IOException.class);
        }
    }

    @Test
    void wordsAreNotNull() {
        for (Side side : List.of(Side.OURS, Side.DJL)) {
            assertThatThrownBy(() ->
                            Side.call(open(side, null, Map.of()), "encode", new Class<?>[] {String[].class}, (Object)
                                    new String[] {"a", null}))
                    .isInstanceOf(NullPointerException.class);
        }
    }

    @Test
    void aFileWithoutAModelIsRefused() {
        for (Side side : List.of(Side.OURS, Side.DJL)) {
            for (String file : List.of("{}", "{\"model_max_length\": 512, \"tokenizer_class\": \"BertTokenizer\"}")) {
                assertThatThrownBy(() -> side.open(file.getBytes(UTF_8), Map.of()))
                        .isInstanceOf(RuntimeException.class);
            }
        }
    }
}
