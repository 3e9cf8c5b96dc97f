package dev.millrace.providers.testkit;

import java.util.SplittableRandom;
import java.util.regex.Pattern;

/** Texts of many scripts, for comparisons of tokenizers. */
public final class TokenizerSamples {
    private static final int MOST_PARTS = 25;
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

    private TokenizerSamples() {}

    /** Returns the file of a tokenizer with scores whose sums are exact, so that rounding does not decide between equal ones. */
    public static String withExactScores(String file) {
        return SCORE.matcher(file).replaceAll(score -> rounded(score.group()));
    }

    private static String rounded(String score) {
        return Double.toString(Math.rint(Double.parseDouble(score) * PARTS_OF_SCORE) / PARTS_OF_SCORE);
    }

    /** Returns a text of random pieces. */
    public static String text(SplittableRandom random) {
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
