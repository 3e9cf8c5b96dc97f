package dev.millrace.text.postprocessor;

import dev.millrace.text.normalizer.Normalizers;
import dev.millrace.text.vocabulary.TextToken;
import java.util.ArrayList;
import java.util.List;

/** Excludes spaces from the offsets of tokens. */
final class OffsetTrimming {
    /** The char for a space in GPT-2's alphabet of bytes. */
    private static final char SPACE = '\u0120';

    private OffsetTrimming() {}

    static List<TextToken> trim(List<TextToken> tokens, boolean prependsSpace) {
        var trimmed = new ArrayList<TextToken>(tokens.size());
        for (TextToken token : tokens) {
            int before = count(token.text(), true);
            int behind = count(token.text(), false);
            if (before == 1 && prependsSpace && (trimmed.isEmpty() || token.start() == 0)) {
                before = 0;
            }
            int start = Math.min(token.start() + before, token.end());
            int end = behind > 0 && token.end() >= behind ? Math.max(token.end() - behind, start) : token.end();
            trimmed.add(token.at(start, end));
        }
        return trimmed;
    }

    private static int count(String text, boolean fromLeft) {
        int count = 0;
        while (count < text.length() && isSpace(text.charAt(fromLeft ? count : text.length() - 1 - count))) {
            count++;
        }
        return count;
    }

    private static boolean isSpace(char each) {
        return each == SPACE || Normalizers.isSpace(each);
    }
}
