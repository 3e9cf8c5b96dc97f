package ai.djl.huggingface.tokenizers;

import ai.djl.huggingface.tokenizers.jni.CharSpan;
import dev.millrace.text.Encoding;
import dev.millrace.text.PadToken;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The arrays of an encoding before it is padded.
 *
 * @param texts the texts that the encoding's tokens come from; those of a text that was given as words are the words
 * @param isRest whether the encoding has a later part of its last text
 * @param overflowing the rest of a text that was cut
 */
record TokenRows(Encoding tokens, List<SourceText> texts, boolean isRest, List<TokenRows> overflowing) {
    /** A text, or the words of one. */
    record SourceText(List<String> words, boolean isOneText) {
        private int codePoints(int word, int index) {
            String text = words.get(isOneText ? 0 : word);
            return text.codePointCount(0, Math.min(index, text.length()));
        }
    }

    int length() {
        return tokens.length();
    }

    /** Returns the encoding with padding; overflowing texts are padded to the same length. */
    ai.djl.huggingface.tokenizers.Encoding padded(int length, @Nullable PadToken pad, boolean withOverflow) {
        int own = tokens.length();
        int total = pad == null ? own : Math.max(own, length);
        int first = pad != null && pad.isLeft() ? total - own : 0;
        long[] ids = new long[total];
        long[] types = new long[total];
        String[] texts = new String[total];
        long[] words = new long[total];
        long[] sequences = new long[total];
        long[] mask = new long[total];
        long[] special = new long[total];
        @Nullable CharSpan[] spans = new CharSpan[total];
        if (pad != null) {
            Arrays.fill(ids, pad.id());
            Arrays.fill(types, pad.type());
            Arrays.fill(texts, pad.text());
        }
        Arrays.fill(words, -1);
        Arrays.fill(sequences, -1);
        Arrays.fill(special, 1);
        System.arraycopy(tokens.ids(), 0, ids, first, own);
        System.arraycopy(types(), 0, types, first, own);
        List<String> names = tokens.tokens();
        for (int i = 0; i < own; i++) {
            texts[first + i] = names.get(i);
            mask[first + i] = 1;
            sequences[first + i] = tokens.text(i);
            if (tokens.text(i) >= 0) {
                words[first + i] = tokens.word(i);
                special[first + i] = 0;
                spans[first + i] = span(i);
            }
        }
        ai.djl.huggingface.tokenizers.Encoding[] rest = withOverflow
                ? overflowing.stream()
                        .map(each -> each.padded(length, pad, true))
                        .toArray(ai.djl.huggingface.tokenizers.Encoding[]::new)
                : new ai.djl.huggingface.tokenizers.Encoding[0];
        return new ai.djl.huggingface.tokenizers.Encoding(
                ids, types, texts, words, sequences, mask, special, spans, !overflowing.isEmpty(), rest);
    }

    /** The types of tokens. In a rest without special tokens, the type is the text, whatever the format says. */
    private long[] types() {
        long[] types = tokens.types();
        boolean isBare = IntStream.range(0, types.length).allMatch(i -> tokens.text(i) >= 0);
        if (isRest && isBare) {
            Arrays.setAll(types, tokens::text);
        }
        return types;
    }

    private CharSpan span(int token) {
        SourceText text = texts.get(tokens.text(token));
        int word = tokens.word(token);
        return new CharSpan(text.codePoints(word, tokens.start(token)), text.codePoints(word, tokens.end(token)));
    }
}
