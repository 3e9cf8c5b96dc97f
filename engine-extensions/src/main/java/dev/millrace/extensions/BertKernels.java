package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.text.Encoding;
import dev.millrace.text.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tokenizer of BERT and its decoder. */
final class BertKernels {
    private BertKernels() {}

    /** Returns the tokens of a vocabulary in their order; lines without a token do not count. */
    private static List<String> vocabulary(Attributes attributes) {
        return attributes
                .text("vocab_file")
                .lines()
                .filter(line -> !line.isEmpty())
                .toList();
    }

    private static Tokenizer read(Node node) {
        Attributes attributes = node.attributes();
        Map<String, Integer> ids = new LinkedHashMap<>();
        for (String token : vocabulary(attributes)) {
            ids.putIfAbsent(token, ids.size());
        }
        boolean isBasic = attributes.flag("do_basic_tokenize", true);
        boolean lowers = attributes.flag("do_lower_case", true);
        String basic = """
            "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": %s, "strip_accents": %s,
              "lowercase": %s},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            """.formatted(
                attributes.flag("tokenize_chinese_chars", true), attributes.flag("strip_accents", false), lowers);
        String json = """
            {%s
            "post_processor": {"type": "BertProcessing", "sep": [%s, %d], "cls": [%s, %d]},
            "model": {"type": "WordPiece", "unk_token": %s, "continuing_subword_prefix": %s, "vocab": %s}}
            """.formatted(
                        isBasic ? basic : "\"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"},",
                        TokenizerJson.quoted(attributes.text("sep_token", "[SEP]")),
                        id(node, ids, attributes.text("sep_token", "[SEP]")),
                        TokenizerJson.quoted(attributes.text("cls_token", "[CLS]")),
                        id(node, ids, attributes.text("cls_token", "[CLS]")),
                        TokenizerJson.quoted(attributes.text("unk_token", "[UNK]")),
                        TokenizerJson.quoted(attributes.text("suffix_indicator", "##")),
                        TokenizerJson.object(ids));
        Tokenizer tokenizer = TokenizerJson.read(node, json);
        long most = attributes.integer("max_length", -1);
        return most > 0 ? tokenizer.cutTo(Math.toIntExact(most)) : tokenizer;
    }

    private static int id(Node node, Map<String, Integer> ids, String token) {
        Integer id = ids.get(token);
        if (id == null) {
            throw EngineException.invalidGraph(node.describe() + ": its vocabulary has no token '" + token + "'");
        }
        return id;
    }

    /** @param isHuggingFace whether outputs are rows of a batch, with the mask before the types */
    static DynamicKernel tokenizer(Node node, boolean isHuggingFace) {
        Tokenizer tokenizer = read(node);
        return context -> {
            String[] texts = context.tensor(0).strings();
            if (texts.length != 1 && texts.length != 2) {
                throw EngineException.invalidArgument(
                        node.describe() + " takes one text or a pair, and there are " + texts.length);
            }
            Encoding encoding = texts.length == 1 ? tokenizer.encode(texts[0]) : tokenizer.encode(texts[0], texts[1]);
            long[] shape = isHuggingFace ? new long[] {1, encoding.length()} : new long[] {encoding.length()};
            context.output(0, Tensor.copyOf(encoding.ids(), shape));
            set(context, 1, isHuggingFace ? encoding.mask() : encoding.types(), shape);
            set(context, 2, isHuggingFace ? encoding.types() : encoding.mask(), shape);
        };
    }

    private static void set(DynamicContext context, int output, long[] values, long[] shape) {
        if (context.hasOutput(output)) {
            context.output(output, Tensor.copyOf(values, shape));
        }
    }

    static DynamicKernel decoder(Node node) {
        Attributes attributes = node.attributes();
        List<String> tokens = vocabulary(attributes);
        String suffix = attributes.text("suffix_indicator", "##");
        boolean skips = attributes.flag("skip_special_tokens", false);
        boolean cleans = attributes.flag("clean_up_tokenization_spaces", true);
        boolean hasParts = attributes.flag("use_indices", false);
        Set<String> special = Stream.of(
                        attributes.text("unk_token", "[UNK]"),
                        attributes.text("sep_token", "[SEP]"),
                        attributes.text("pad_token", "[PAD]"),
                        attributes.text("cls_token", "[CLS]"),
                        attributes.text("mask_token", "[MASK]"))
                .collect(Collectors.toSet());
        return context -> {
            long[] ids = context.tensor(0).longs();
            List<String> texts = new ArrayList<>();
            long[] parts = hasParts ? context.tensor(1).longs() : new long[] {0, ids.length};
            for (int i = 0; i + 1 < parts.length; i += 2) {
                int from = (int) Math.clamp(parts[i], 0, ids.length);
                long[] part = Arrays.copyOfRange(ids, from, (int) Math.clamp(parts[i + 1], from, ids.length));
                String text = decoded(node, part, tokens, suffix, skips ? special : Set.of());
                texts.add(cleans ? cleaned(text) : text);
            }
            context.output(0, Tensor.ofStrings(Shape.of(texts.size()), texts.toArray(String[]::new)));
        };
    }

    private static String decoded(Node node, long[] ids, List<String> tokens, String suffix, Set<String> skipped) {
        var text = new StringBuilder();
        for (long id : ids) {
            if (id < 0 || id >= tokens.size()) {
                throw EngineException.invalidArgument(
                        node.describe() + ": token " + id + " is none of the " + tokens.size() + " in the vocabulary");
            }
            String token = tokens.get((int) id);
            if (skipped.contains(token)) {
                continue;
            }
            if (!suffix.isEmpty() && token.startsWith(suffix)) {
                text.append(token, suffix.length(), token.length());
            } else {
                text.append(text.isEmpty() ? "" : " ").append(token);
            }
        }
        return text.toString();
    }

    /** Removes the spaces that tokens of punctuation have got. */
    private static String cleaned(String text) {
        String cleaned = text;
        for (String end : List.of(".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re")) {
            cleaned = cleaned.replace(" " + end, end);
        }
        return cleaned.replace(" ' ", "'");
    }
}
