package dev.millrace.extensions;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.text.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The tokens of texts as rows of one length. */
final class TokenRows {
    private TokenRows() {}

    /**
     * Sets the ids of texts as output 0, and their mask as output 1.
     *
     * @param width the length of the rows; 0 or less for that of the longest text
     * @param pad the id behind shorter texts
     */
    static void set(DynamicContext context, Tokenizer tokenizer, long width, long pad) {
        String[] texts = context.tensor(0).strings();
        List<long[]> rows = new ArrayList<>();
        int longest = 0;
        for (String text : texts) {
            context.checkCancelled();
            long[] ids = tokenizer.encode(text).ids();
            rows.add(ids);
            longest = Math.max(longest, ids.length);
        }
        int columns = width > 0 ? Math.toIntExact(width) : longest;
        long[] ids = new long[Math.multiplyExact(texts.length, columns)];
        Arrays.fill(ids, pad);
        long[] mask = new long[ids.length];
        for (int row = 0; row < texts.length; row++) {
            int count = Math.min(columns, rows.get(row).length);
            System.arraycopy(rows.get(row), 0, ids, row * columns, count);
            Arrays.fill(mask, row * columns, row * columns + count, 1);
        }
        context.output(0, Tensor.copyOf(ids, texts.length, columns));
        if (context.hasOutput(1)) {
            context.output(1, Tensor.copyOf(mask, texts.length, columns));
        }
    }
}
