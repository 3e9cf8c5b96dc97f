package dev.millrace.text.constraint;

import dev.millrace.graph.EngineException;
import dev.millrace.text.postprocessor.TokenBytes;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tokens of a vocabulary that text consists of, with their bytes. Added tokens are not among them. Immutable. */
public final class TokenTable {
    private final byte[] @Nullable [] bytes;
    private final byte[] @Nullable [] first;
    private final TokenTrie trie;
    private final TokenTrie firstTrie;
    private final CodePoints alphabet;

    /**
     * @param ids the ids of all tokens
     * @param added the ids of tokens that are no text
     */
    public TokenTable(Map<String, Integer> ids, Set<Integer> added, TokenBytes content) {
        content.require();
        int size = ids.values().stream().mapToInt(Integer::intValue).max().orElse(-1) + 1;
        if (size > TokenTrie.MOST_TOKENS) {
            throw EngineException.invalidArgument(
                    "the vocabulary has a token " + (size - 1) + "; the largest possible is " + TokenTrie.MOST_TOKENS);
        }
        bytes = new byte[size][];
        first = content.losesFirst() ? new byte[size][] : bytes;
        ids.forEach((text, id) -> {
            if (!added.contains(id)) {
                bytes[id] = content.of(text);
                first[id] = content.losesFirst() ? content.first(text) : bytes[id];
            }
        });
        trie = trie(bytes);
        firstTrie = content.losesFirst() ? trie(first) : trie;
        alphabet = alphabet(bytes);
    }

    private static TokenTrie trie(byte[] @Nullable [] bytes) {
        List<TokenTrie.Entry> entries = new ArrayList<>();
        for (int id = 0; id < bytes.length; id++) {
            byte[] each = bytes[id];
            if (each != null && each.length > 0) {
                entries.add(new TokenTrie.Entry(id, each));
            }
        }
        return new TokenTrie(entries);
    }

    /** Returns the characters that are tokens; all characters if all bytes of UTF-8 are. */
    private static CodePoints alphabet(byte[] @Nullable [] bytes) {
        var single = new BitSet();
        for (byte[] each : bytes) {
            if (each != null && each.length == 1) {
                single.set(each[0] & 0xff);
            }
        }
        if (single.get(0, 0xc0).cardinality() == 0xc0 && single.get(0xc2, 0xf5).cardinality() == 0x33) {
            return CodePoints.ALL;
        }
        var points = new BitSet();
        for (byte[] each : bytes) {
            int point = each == null || each.length == 0 || each.length > 4 ? -1 : point(each);
            if (point >= 0) {
                points.set(point);
            }
        }
        return CodePoints.of(points).and(CodePoints.ALL);
    }

    /** Returns the one character that the bytes are, or -1. */
    private static int point(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.codePointCount(0, text.length()) == 1 ? text.codePointAt(0) : -1;
        } catch (CharacterCodingException e) {
            return -1;
        }
    }

    /** Whether the first token of a whole text may stand for other bytes than elsewhere. */
    boolean losesFirst() {
        return first != bytes;
    }

    /** The characters that any text of them can be written with. */
    CodePoints alphabet() {
        return alphabet;
    }

    /** @param isFirst whether the tokens stand at the beginning of a whole text, where a space may be lost */
    TokenTrie trie(boolean isFirst) {
        return isFirst ? firstTrie : trie;
    }

    /** Returns the bytes of a token; null if it is no text. */
    public byte @Nullable [] bytes(long id, boolean isFirst) {
        return id < 0 || id >= bytes.length ? null : (isFirst ? first : bytes)[(int) id];
    }
}
