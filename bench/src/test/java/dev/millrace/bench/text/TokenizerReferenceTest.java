package dev.millrace.bench.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import dev.millrace.providers.testkit.TokenizerSamples;
import dev.millrace.text.Tokenizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that texts become the same tokens, and tokens the same texts, as in Hugging Face's tokenizers. */
@Tag("reference")
class TokenizerReferenceTest {
    private static final int TEXTS = 10_000;
    private static final Path FILES = Path.of("../engine-text/src/test/resources/dev/millrace/text");

    @BeforeAll
    static void openLibrary(@TempDir Path folder) {
        boolean isThere = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        assumeTrue(isThere, "the library is for other systems, or not tried there");
        System.setProperty("ai.djl.offline", "true");
        System.setProperty("OPT_OUT_TRACKING", "true");
        System.setProperty("ENGINE_CACHE_DIR", folder.toString());
    }

    private static byte[] file(String name) throws IOException {
        if (name.equals("minilm")) {
            try (InputStream in =
                    TokenizerReferenceTest.class.getResourceAsStream("/all-minilm-l6-v2-tokenizer.json")) {
                return Objects.requireNonNull(in).readAllBytes();
            }
        }
        return TokenizerSamples.withExactScores(Files.readString(FILES.resolve(name + ".json")))
                .getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"minilm", "byte-level", "byte-fallback", "roberta", "unigram"})
    void textsAndTokensAreThoseOfHuggingFace(String name) throws IOException {
        byte[] file = file(name);
        Tokenizer tokenizer = Tokenizer.of(file).unbounded();
        var random = new SplittableRandom(1);
        try (HuggingFaceTokenizer reference = HuggingFaceTokenizer.newInstance(
                new ByteArrayInputStream(file), Map.of("truncation", "false", "padding", "false"))) {
            for (int i = 0; i < TEXTS; i++) {
                String text = TokenizerSamples.text(random);
                Encoding expected = reference.encode(text);
                assertThat(tokenizer.encode(text).ids())
                        .as("text %d: %s", i, text)
                        .containsExactly(expected.getIds());
                assertThat(tokenizer.decode(expected.getIds()))
                        .as("tokens of text %d: %s", i, text)
                        .isEqualTo(reference.decode(expected.getIds(), true));
            }
        }
    }
}
