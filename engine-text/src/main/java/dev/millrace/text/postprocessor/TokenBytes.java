package dev.millrace.text.postprocessor;

import dev.millrace.graph.EngineException;
import dev.millrace.text.json.Json;
import dev.millrace.text.pretokenizer.ByteChars;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The bytes of the text that each token stands for wherever it is. They exist for decoders that join the bytes of tokens, such
 * as ByteLevel and the decoders of SentencePiece. The first token of a text may lose a space.
 */
public final class TokenBytes {
    private final List<UnaryOperator<String>> replacements = new ArrayList<>();
    private String unsupported = "";
    private boolean hasByteChars;
    private boolean hasByteTokens;
    private boolean joins;
    /** The text that the first token of a text loses at its beginning; empty for none. */
    private String lost = "";

    private boolean losesAll;

    /** @param decoder the description of a decoder */
    public TokenBytes(Json decoder) {
        if (decoder.isNull()) {
            unsupported = "none, so tokens are joined by spaces";
        } else {
            read(decoder);
        }
        if (!joins && unsupported.isEmpty()) {
            unsupported = decoder.type();
        }
    }

    private void read(Json decoder) {
        switch (decoder.type()) {
            case "Sequence" -> decoder.get("decoders").elements().forEach(this::read);
            case "ByteLevel" -> {
                hasByteChars = true;
                joins = true;
            }
            case "ByteFallback" -> hasByteTokens = true;
            case "Fuse" -> joins = true;
            case "Metaspace" -> metaspace(decoder);
            case "Replace" -> replace(decoder);
            case "Strip" -> strip(decoder);
            default -> unsupported = decoder.type();
        }
    }

    private void metaspace(Json decoder) {
        String mark = decoder.get("replacement").text("\u2581");
        replacements.add(text -> text.replace(mark, " "));
        joins = true;
        if (!decoder.get("prepend_scheme").text("always").equals("never")
                && decoder.get("add_prefix_space").flag(true)) {
            lost = mark;
            losesAll = true;
        }
    }

    private void replace(Json decoder) {
        Json pattern = decoder.get("pattern").get("String");
        if (joins || pattern.isNull()) {
            unsupported = "Replace of an expression or of joined text";
            return;
        }
        String old = pattern.text();
        String content = decoder.get("content").text();
        replacements.add(text -> text.replace(old, content));
    }

    private void strip(Json decoder) {
        int start = decoder.get("start").count(0);
        if (decoder.get("stop").count(0) > 0 || start > 1 || start == 1 && !joins) {
            unsupported = "Strip of tokens or of ends";
        } else if (start == 1) {
            lost = decoder.get("content").text();
        }
    }

    /** Throws if there are no such bytes. */
    public void require() {
        if (!unsupported.isEmpty()) {
            throw EngineException.invalidArgument(
                    "constrained output needs a tokenizer whose tokens are pieces of text, as"
                            + " byte-level BPE and SentencePiece have them; the decoder of this one is " + unsupported);
        }
    }

    /** Whether the first token of a text may stand for other bytes than elsewhere. */
    public boolean losesFirst() {
        return !lost.isEmpty();
    }

    /** Returns the bytes of a token that is the first of a text. */
    public byte[] first(String token) {
        if (losesAll) {
            return of(token.replace(lost, ""));
        }
        byte[] all = of(token);
        byte[] start = lost.getBytes(StandardCharsets.UTF_8);
        boolean loses = start.length <= all.length && Arrays.equals(start, 0, start.length, all, 0, start.length);
        return loses ? Arrays.copyOfRange(all, start.length, all.length) : all;
    }

    /** Returns the bytes of a token. */
    public byte[] of(String token) {
        if (hasByteTokens && Decoders.byteOf(token) >= 0) {
            return new byte[] {(byte) Decoders.byteOf(token)};
        }
        String text = token;
        for (UnaryOperator<String> each : replacements) {
            text = each.apply(text);
        }
        return hasByteChars ? ByteChars.decode(text) : text.getBytes(StandardCharsets.UTF_8);
    }
}
