package dev.millrace.text.normalizer;

import dev.millrace.graph.EngineException;
import dev.millrace.text.limit.Budget;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * SentencePiece's precompiled map of chars: a double-array trie from the UTF-8 bytes of a text to the offset of its
 * replacement in a pool of zero-terminated texts.
 */
final class CharsMap {
    private static final Pattern CLUSTER = Pattern.compile("\\X");
    /** The number of bytes from which grapheme clusters are not looked up as a whole. */
    private static final int LONGEST_CLUSTER = 6;

    private final int[] units;
    private final byte[] pool;

    private CharsMap(int[] units, byte[] pool) {
        this.units = units;
        this.pool = pool;
    }

    static CharsMap read(byte[] blob) {
        ByteBuffer in = ByteBuffer.wrap(blob).order(ByteOrder.LITTLE_ENDIAN);
        try {
            int bytes = in.getInt();
            if (bytes < 4 || bytes > in.remaining()) {
                throw new IllegalArgumentException("its trie has " + bytes + " bytes, of " + in.remaining());
            }
            int[] units = new int[bytes / 4];
            in.slice(4, bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(units);
            return new CharsMap(units, Arrays.copyOfRange(blob, 4 + bytes, blob.length));
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("it is cut short", e);
        }
    }

    Aligned apply(Aligned text, Budget budget) {
        var made = new Aligned.Builder(budget);
        Matcher clusters = CLUSTER.matcher(text.text());
        while (clusters.find()) {
            int from = clusters.start();
            int to = clusters.end();
            byte[] bytes = clusters.group().getBytes(StandardCharsets.UTF_8);
            String whole = bytes.length < LONGEST_CLUSTER ? find(bytes) : null;
            if (whole != null) {
                made.add(whole, text.start(from), text.end(to - 1));
            } else {
                points(text, from, to, made);
            }
        }
        return made.build();
    }

    private void points(Aligned text, int from, int to, Aligned.Builder made) {
        for (int at = from; at < to; ) {
            String point = Character.toString(text.text().codePointAt(at));
            int next = at + point.length();
            String other = find(point.getBytes(StandardCharsets.UTF_8));
            if (other == null) {
                made.add(text, at, next);
            } else {
                made.add(other, text.start(at), text.end(next - 1));
            }
            at = next;
        }
    }

    /** Returns the replacement of the shortest prefix of {@code key} in the trie, or null. */
    private @Nullable String find(byte[] key) {
        int node = offset(unit(0));
        for (byte each : key) {
            node ^= each & 0xff;
            int unit = unit(node);
            if ((unit & 0x8000_00ff) != (each & 0xff)) {
                return null;
            }
            node ^= offset(unit);
            if ((unit >>> 8 & 1) == 1) {
                return replacement(unit(node) & 0x7fff_ffff);
            }
        }
        return null;
    }

    private int unit(int index) {
        if (index < 0 || index >= units.length) {
            throw EngineException.invalidArgument("precompiled_charsmap: its trie points outside of itself");
        }
        return units[index];
    }

    private static int offset(int unit) {
        return unit >>> 10 << ((unit & 1 << 9) >>> 6);
    }

    private String replacement(int at) {
        int end = at;
        while (end < pool.length && pool[end] != 0) {
            end++;
        }
        return at > end ? "" : new String(pool, at, end - at, StandardCharsets.UTF_8);
    }
}
