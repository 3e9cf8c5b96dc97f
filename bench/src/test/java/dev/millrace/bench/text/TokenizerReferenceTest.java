package dev.millrace.bench.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
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
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that texts become the same tokens, and tokens the same texts, as in Hugging Face's tokenizers. */
@Tag("reference")
class TokenizerReferenceTest {
    private static final int TEXTS = 10_000;
    private static final int MOST_PARTS = 25;
    private static final Path FILES = Path.of("../engine-text/src/test/resources/dev/millrace/text");
    private static final Pattern SCORE = Pattern.compile("-\\d+\\.\\d{6,}");
    /** The numbers that one is divided into, so that sums of scores have no rounding that decides between equal ones. */
    private static final double PARTS_OF_SCORE = 1024;

    private static final String[] PIECES = {
        "a",
        "b",
        "abc",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "<s>",
        "</s>",
        "[CLS]",
        "[MASK]",
        "<mask>",
        "<unk>",
        "river",
        "\u2581",
        "\u0301",
        "\u0316",
        "e\u0301",
        "\u1100\u1161",
        "\u0000",
        "\u00a0",
        "\u200b",
        "\u200d",
        "\u3000",
        "\ufeff",
        "\u2028",
        "\u0085",
        "\ufdfa",
        "\ufffd",
        "'s",
        "'LL",
        "n't",
        "7",
        "1234567",
        "3.14",
        "ß",
        "İ",
        "ı",
        "ﬁ",
        "Ⅷ",
        "½",
        "ǆ",
        "Σς",
        "한국어",
        "日本語",
        "العربية",
        "हिन्दी",
        "ไทย",
        "👩‍👩‍👧",
        "🇩🇪",
        "🦀",
        "the",
        "The",
        " quick",
        "brown.",
        "_under",
        "CamelCase",
        "http://a.b/c?d=e",
        "!!!",
        "…",
        "—",
        "“q”",
        "𝔘𝔫𝔦"
    };

    /** Ranges of characters that all versions of Unicode in use have, and treat alike. */
    private static final int[][] RANGES = {
        {0x20, 0x7e},
        {0xa0, 0x17f},
        {0x391, 0x3a1},
        {0x3b1, 0x3c9},
        {0x410, 0x44f},
        {0x5d0, 0x5ea},
        {0x621, 0x64a},
        {0x905, 0x939},
        {0xe01, 0xe3a},
        {0x2010, 0x2027},
        {0x2190, 0x21ff},
        {0x2200, 0x22ff},
        {0x2500, 0x257f},
        {0x3041, 0x3096},
        {0x30a1, 0x30fa},
        {0x4e00, 0x9fa5},
        {0xac00, 0xd7a3},
        {0xff01, 0xff5e},
        {0x1f600, 0x1f64f}
    };

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
        String text = Files.readString(FILES.resolve(name + ".json"));
        return SCORE.matcher(text).replaceAll(score -> rounded(score.group())).getBytes(StandardCharsets.UTF_8);
    }

    private static String rounded(String score) {
        return Double.toString(Math.rint(Double.parseDouble(score) * PARTS_OF_SCORE) / PARTS_OF_SCORE);
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
                String text = text(random);
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

    private static String text(SplittableRandom random) {
        var text = new StringBuilder();
        for (int parts = random.nextInt(1, MOST_PARTS); parts > 0; parts--) {
            if (random.nextInt(3) == 0) {
                int[] range = RANGES[random.nextInt(RANGES.length)];
                text.appendCodePoint(random.nextInt(range[0], range[1] + 1));
            } else {
                text.append(PIECES[random.nextInt(PIECES.length)]);
            }
            text.append(" ".repeat(random.nextInt(3) / 2));
        }
        return text.toString();
    }
}
