package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.text.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Tokenizers of byte pairs, and their decoder. */
final class BytePairKernels {
    private static final String BYTE_LEVEL =
            "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"trim_offsets\": true, \"use_regex\": true}";
    /** Text as CLIP was trained on it: lower case, one space for several. */
    private static final String CLIP = """
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"},
          {"type": "Replace", "pattern": {"Regex": "\\\\s+"}, "content": " "}, {"type": "Lowercase"}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern":
          {"Regex": "'s|'t|'re|'ve|'m|'ll|'d|[\\\\p{L}]+|[\\\\p{N}]|[^\\\\s\\\\p{L}\\\\p{N}]+"},
          "behavior": "Removed", "invert": true},
          {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]},
        """;

    private BytePairKernels() {}

    private static Tokenizer read(Node node, String around, String suffix) {
        Attributes attributes = node.attributes();
        List<String> merges = attributes
                .text("merges")
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#version"))
                .toList();
        String json = """
            {%s "model": {"type": "BPE", "end_of_word_suffix": %s, "vocab": %s, "merges": %s}}
            """.formatted(
                        around, TokenizerJson.quoted(suffix), attributes.text("vocab"), TokenizerJson.list(merges));
        return TokenizerJson.read(node, json);
    }

    /** Returns the frame of all texts by two tokens. */
    private static String framed(Node node, Tokenizer plain, String first, String last) {
        for (String token : List.of(first, last)) {
            if (!plain.has(token)) {
                throw EngineException.invalidGraph(node.describe() + ": its vocabulary has no token '" + token + "'");
            }
        }
        return "\"post_processor\": {\"type\": \"RobertaProcessing\", \"add_prefix_space\": false, \"trim_offsets\":"
                + " true, \"cls\": [" + TokenizerJson.quoted(first) + ", " + plain.id(first) + "], \"sep\": ["
                + TokenizerJson.quoted(last) + ", " + plain.id(last) + "]},";
    }

    private static DynamicKernel rows(Node node, Tokenizer tokenizer, long pad) {
        long width = node.attributes().integer("padding_length", -1);
        Tokenizer cut = width > 0 ? tokenizer.cutTo(Math.toIntExact(width)) : tokenizer;
        return context -> TokenRows.set(context, cut, width, pad);
    }

    static DynamicKernel gpt2(Node node) {
        return rows(node, read(node, "\"pre_tokenizer\": " + BYTE_LEVEL + ",", ""), 0);
    }

    static DynamicKernel roberta(Node node) {
        String bytes = "\"pre_tokenizer\": " + BYTE_LEVEL + ",";
        Tokenizer plain = read(node, bytes, "");
        Tokenizer framed = read(node, bytes + framed(node, plain, "<s>", "</s>"), "");
        return rows(node, framed, plain.has("<pad>") ? plain.id("<pad>") : 0);
    }

    static DynamicKernel clip(Node node) {
        Tokenizer plain = read(node, CLIP, "</w>");
        String frame = framed(node, plain, "<|startoftext|>", "<|endoftext|>");
        return rows(node, read(node, CLIP + frame, "</w>"), plain.id("<|endoftext|>"));
    }

    /** Returns the kernel of a tokenizer whose description is that of its file. */
    static DynamicKernel json(Node node) {
        Tokenizer tokenizer = TokenizerJson.read(node, node.attributes().text("tokenizer_vocab"));
        return context -> TokenRows.set(context, tokenizer.unpadded(), -1, 0);
    }

    static DynamicKernel decoder(Node node) {
        Attributes attributes = node.attributes();
        if (attributes.flag("en_normalization", false)) {
            throw EngineException.notImplemented(
                    node.describe() + ": en_normalization, which rewrites English texts, is not supported");
        }
        String[] tokens = attributes.text("id_vocab").split("\n", -1);
        Map<Integer, Integer> bytes = new HashMap<>();
        for (String line : lines(attributes, "byte_decoder")) {
            String[] pair = line.split("\t", -1);
            bytes.put(number(node, pair[0]), number(node, pair[pair.length - 1]));
        }
        Map<Long, String> added = new HashMap<>();
        for (String line : lines(attributes, "added_tokens")) {
            int tab = Math.max(0, line.lastIndexOf('\t'));
            added.put((long) number(node, line.substring(tab)), line.substring(0, tab));
        }
        Set<Long> skipped = attributes.flag("skip_special_tokens", false)
                ? lines(attributes, "all_special_ids").stream()
                        .map(line -> (long) number(node, line))
                        .collect(Collectors.toSet())
                : Set.of();
        return context -> {
            Tensor ids = context.tensor(0);
            long[] shape = ids.shape().toArray();
            long[] outer = shape.length > 1 ? Arrays.copyOf(shape, shape.length - 1) : new long[] {1};
            Shape rows = Shape.of(outer);
            String[] texts = new String[Math.toIntExact(rows.elements())];
            long[] all = ids.longs();
            int length = texts.length == 0 ? 0 : all.length / texts.length;
            for (int row = 0; row < texts.length; row++) {
                context.checkCancelled();
                long[] words = Arrays.copyOfRange(all, row * length, (row + 1) * length);
                texts[row] = decoded(node, words, tokens, bytes, added, skipped);
            }
            context.output(0, Tensor.ofStrings(rows, texts));
        };
    }

    private static List<String> lines(Attributes attributes, String name) {
        return attributes.text(name, "").lines().filter(line -> !line.isBlank()).toList();
    }

    private static int number(Node node, String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException _) {
            throw EngineException.invalidGraph(node.describe() + ": '" + text + "' is no number");
        }
    }

    private static String decoded(
            Node node,
            long[] ids,
            String[] tokens,
            Map<Integer, Integer> bytes,
            Map<Long, String> added,
            Set<Long> skipped) {
        var text = new ByteArrayOutputStream();
        for (long id : ids) {
            String other = added.get(id);
            if (skipped.contains(id)) {
                continue;
            }
            if (other != null) {
                text.writeBytes(other.getBytes(StandardCharsets.UTF_8));
                continue;
            }
            if (id < 0 || id >= tokens.length) {
                throw EngineException.invalidArgument(
                        node.describe() + ": token " + id + " is none of the " + tokens.length + " in the vocabulary");
            }
            tokens[(int) id].codePoints().forEach(each -> {
                Integer known = bytes.get(each);
                if (known != null) {
                    text.write(known);
                } else {
                    text.writeBytes(Character.toString(each).getBytes(StandardCharsets.UTF_8));
                }
            });
        }
        return text.toString(StandardCharsets.UTF_8);
    }
}
