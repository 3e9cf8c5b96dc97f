package dev.millrace.text.postprocessor;

import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Patterns;
import dev.millrace.text.pattern.Search;
import dev.millrace.text.pretokenizer.ByteChars;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The decoders that a {@code tokenizer.json} can name. They turn the texts of tokens into pieces of the decoded text.
 */
public final class Decoders {
    private static final Pattern BYTE = Pattern.compile("<0x([0-9A-Fa-f]{2})>");

    private Decoders() {}

    /** Creates the decoder of a description; without one, tokens are joined by spaces. */
    public static Decoder of(Json description) {
        if (description.isNull()) {
            return (tokens, budget) -> List.of(String.join(" ", tokens));
        }
        return switch (description.type()) {
            case "Sequence" -> sequence(description.get("decoders").elements());
            case "WordPiece" -> wordPiece(description);
            case "ByteLevel" -> (tokens, budget) -> List.of(fromByteChars(tokens));
            case "Metaspace" -> metaspace(description);
            case "BPEDecoder" -> ends(description.get("suffix").text("</w>"));
            case "ByteFallback" -> (tokens, budget) -> fromBytes(tokens);
            case "Fuse" -> (tokens, budget) -> List.of(String.join("", tokens));
            case "Strip" -> strip(description);
            case "Replace" -> replace(description);
            case "CTC" -> ctc(description);
            default -> throw description.unknown("decoder");
        };
    }

    private static Decoder sequence(List<Json> parts) {
        List<Decoder> all = parts.stream().map(Decoders::of).toList();
        return (tokens, budget) -> {
            List<String> made = tokens;
            for (Decoder each : all) {
                made = each.apply(made, budget);
                requireLength(made, budget);
            }
            return made;
        };
    }

    private static void requireLength(List<String> texts, Budget budget) {
        long length = 0;
        for (String text : texts) {
            length += text.length();
        }
        budget.spend(length + texts.size());
        budget.requireLength(length);
    }

    private static Decoder wordPiece(Json description) {
        String inside = description.get("prefix").text("##");
        boolean cleans = description.get("cleanup").flag(true);
        return (tokens, budget) -> {
            var made = new ArrayList<String>(tokens.size());
            for (String token : tokens) {
                String piece = made.isEmpty()
                        ? token
                        : token.startsWith(inside) ? token.substring(inside.length()) : " " + token;
                made.add(cleans ? clean(piece) : piece);
            }
            return made;
        };
    }

    private static String clean(String text) {
        return text.replace(" .", ".")
                .replace(" ?", "?")
                .replace(" !", "!")
                .replace(" ,", ",")
                .replace(" ' ", "'")
                .replace(" n't", "n't")
                .replace(" 'm", "'m")
                .replace(" do not", " don't")
                .replace(" 's", "'s")
                .replace(" 've", "'ve")
                .replace(" 're", "'re");
    }

    private static String fromByteChars(List<String> tokens) {
        var bytes = new ByteArrayOutputStream();
        for (String token : tokens) {
            bytes.writeBytes(ByteChars.decode(token));
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static Decoder metaspace(Json description) {
        String mark = description.get("replacement").text("\u2581");
        boolean prepends = !description.get("prepend_scheme").text("always").equals("never")
                && description.get("add_prefix_space").flag(true);
        return (tokens, budget) -> {
            var made = new ArrayList<String>(tokens.size());
            for (String token : tokens) {
                made.add(token.replace(mark, made.isEmpty() && prepends ? "" : " "));
            }
            return made;
        };
    }

    private static Decoder ends(String suffix) {
        return (tokens, budget) -> {
            var made = new ArrayList<String>(tokens.size());
            for (String token : tokens) {
                made.add(token.replace(suffix, made.size() == tokens.size() - 1 ? "" : " "));
            }
            return made;
        };
    }

    /** Returns the byte that a token stands for, as ByteFallback writes it, or -1. */
    static int byteOf(String token) {
        Matcher matcher = BYTE.matcher(token);
        return matcher.matches() ? Integer.parseInt(matcher.group(1), 16) : -1;
    }

    private static List<String> fromBytes(List<String> tokens) {
        var made = new ArrayList<String>();
        var bytes = new ByteArrayOutputStream();
        for (String token : tokens) {
            int known = byteOf(token);
            if (known >= 0) {
                bytes.write(known);
            } else {
                flush(bytes, made);
                made.add(token);
            }
        }
        flush(bytes, made);
        return made;
    }

    /** Appends the bytes as text. If they are no UTF-8, each byte becomes a replacement char. */
    private static void flush(ByteArrayOutputStream bytes, List<String> to) {
        if (bytes.size() == 0) {
            return;
        }
        try {
            to.add(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString());
        } catch (CharacterCodingException e) {
            to.addAll(List.of("\ufffd".repeat(bytes.size()).split("")));
        }
        bytes.reset();
    }

    private static Decoder strip(Json description) {
        String content = description.get("content").text();
        int start = description.get("start").count(0);
        int stop = description.get("stop").count(0);
        return (tokens, budget) -> tokens.stream()
                .map(token -> stripped(token, content, start, stop))
                .toList();
    }

    /**
     * Removes {@code content} at most {@code start} times from the beginning and {@code stop} times from the end of a
     * token.
     */
    private static String stripped(String token, String content, int start, int stop) {
        int length = content.length();
        int from = 0;
        int to = token.length();
        for (int i = 0; i < start && length > 0 && from + length <= to && token.startsWith(content, from); i++) {
            from += length;
        }
        for (int i = 0; i < stop && length > 0 && to - length >= from && token.startsWith(content, to - length); i++) {
            to -= length;
        }
        return token.substring(from, to);
    }

    private static Decoder replace(Json description) {
        Search search = Patterns.of(description.get("pattern"));
        String content = description.get("content").text();
        return (tokens, budget) -> tokens.stream()
                .map(token -> replaced(token, search, content, budget))
                .toList();
    }

    private static String replaced(String token, Search search, String content, Budget budget) {
        Search.Matches matches = search.in(token, budget);
        var made = new StringBuilder();
        int kept = 0;
        while (matches.next()) {
            made.append(token, kept, matches.start()).append(content);
            budget.spend(content.length());
            budget.requireLength(made.length());
            kept = matches.end();
        }
        return kept == 0 ? token : made.append(token, kept, token.length()).toString();
    }

    private static Decoder ctc(Json description) {
        String pad = description.get("pad_token").text("<pad>");
        String space = description.get("word_delimiter_token").text("|");
        boolean cleans = description.get("cleanup").flag(true);
        return (tokens, budget) -> {
            var made = new ArrayList<String>();
            String last = null;
            for (String token : tokens) {
                if (!token.equals(last)) {
                    String text = token.replace(pad, "");
                    made.add(cleans ? clean(text).replace(space, " ") : text);
                }
                last = token;
            }
            made.removeIf(String::isEmpty);
            return made;
        };
    }
}
