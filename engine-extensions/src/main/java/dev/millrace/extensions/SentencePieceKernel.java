package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.text.Tokenizer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.LongStream;

/** The tokenizer of SentencePiece. */
final class SentencePieceKernel {
    private SentencePieceKernel() {}

    static DynamicKernel of(Node node) {
        SentencePieceModel model = read(node);
        Tokenizer tokenizer = TokenizerJson.read(node, json(model));
        return context -> {
            if (number(context, 1) > 1 || number(context, 1) < 0) {
                throw EngineException.notImplemented(node.describe() + ": an nbest_size of " + number(context, 1)
                        + ", which draws tokens, is not supported");
            }
            if (number(context, 6) != 0) {
                throw EngineException.notImplemented(node.describe() + ": ids of fairseq are not supported");
            }
            run(context, tokenizer, model);
        };
    }

    private static void run(DynamicContext context, Tokenizer tokenizer, SentencePieceModel model) {
        String[] texts = context.tensor(0).strings();
        List<Integer> tokens = new ArrayList<>();
        long[] starts = new long[texts.length + 1];
        for (int i = 0; i < texts.length; i++) {
            context.checkCancelled();
            List<Integer> row = new ArrayList<>();
            if (number(context, 3) != 0) {
                row.add(model.first());
            }
            LongStream.of(tokenizer.encode(texts[i]).ids()).forEach(id -> row.add((int) id));
            if (number(context, 4) != 0) {
                row.add(model.last());
            }
            tokens.addAll(number(context, 5) != 0 ? row.reversed() : row);
            starts[i + 1] = tokens.size();
        }
        context.output(
                0, Tensor.copyOf(tokens.stream().mapToInt(Integer::intValue).toArray(), tokens.size()));
        context.output(1, Tensor.copyOf(starts, starts.length));
    }

    /** Returns the kernel that makes a text of ids. */
    static DynamicKernel decoder(Node node) {
        SentencePieceModel model = read(node);
        return context -> {
            Tensor ids = context.tensor(0);
            if (ids.shape().rank() != 1
                    && !(ids.shape().rank() == 2 && ids.shape().dim(0) == 1)) {
                throw EngineException.invalidArgument(
                        node.describe() + ": ids of the shape " + ids.shape() + "; it is [n] or [1, n]");
            }
            boolean isFairseq = number(context, 1) != 0;
            long[] own = LongStream.of(ids.longs())
                    .map(id -> isFairseq ? ofFairseq(id) : id)
                    .toArray();
            for (long id : own) {
                if (id < 0 || id >= model.pieces().size()) {
                    throw EngineException.invalidArgument(node.describe() + ": id " + id + " of "
                            + model.pieces().size() + " pieces");
                }
            }
            context.output(0, Tensor.ofStrings(Shape.of(1), model.decode(own)));
        };
    }

    /** Returns the id of a piece for its id in fairseq, which begins with tokens for the start, padding, the end, and no piece. */
    private static long ofFairseq(long id) {
        return switch ((int) id) {
            case 0 -> 1;
            case 2 -> 2;
            case 3 -> 0;
            default -> id - 1;
        };
    }

    private static SentencePieceModel read(Node node) {
        byte[] file = node.attributes().find("model") instanceof Attribute.Bytes bytes ? bytes.value() : new byte[0];
        return SentencePieceModel.read(node, file);
    }

    /** Returns an input that is a number or a flag; 0 without one. */
    private static long number(DynamicContext context, int input) {
        if (input >= context.inputCount()
                || context.input(input) == null
                || context.tensor(input).elements() == 0) {
            return 0;
        }
        Tensor tensor = context.tensor(input);
        return switch (tensor.type()) {
            case ElementType type when type == ElementType.BOOL -> tensor.booleans()[0] ? 1 : 0;
            case ElementType type when type == ElementType.FLOAT -> (long) tensor.floats()[0];
            default -> tensor.longs()[0];
        };
    }

    private static String json(SentencePieceModel model) {
        var normalizers = new StringJoiner(", ");
        if (model.charsMap().length > 0) {
            normalizers.add("{\"type\": \"Precompiled\", \"precompiled_charsmap\": \""
                    + Base64.getEncoder().encodeToString(model.charsMap()) + "\"}");
        }
        if (model.removesSpaces()) {
            normalizers.add("{\"type\": \"Strip\", \"strip_left\": true, \"strip_right\": true}");
            normalizers.add("{\"type\": \"Replace\", \"pattern\": {\"Regex\": \" {2,}\"}, \"content\": \" \"}");
        }
        // pieces of byte pairs may reach over spaces
        return """
            {"normalizer": {"type": "Sequence", "normalizers": [%s]},
            "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "%s", "split": %s},
            "model": %s}
            """.formatted(
                        normalizers,
                        model.addsPrefix() ? "always" : "never",
                        !model.mergesPairs(),
                        model.mergesPairs() ? bytePairs(model) : unigram(model));
    }

    private static String unigram(SentencePieceModel model) {
        var vocabulary = new StringJoiner(", ", "[", "]");
        model.pieces()
                .forEach(
                        piece -> vocabulary.add("[" + TokenizerJson.quoted(piece.text()) + ", " + piece.score() + "]"));
        return "{\"type\": \"Unigram\", \"unk_id\": %d, \"byte_fallback\": %s, \"vocab\": %s}"
                .formatted(model.unknown(), model.fallsBack(), vocabulary);
    }

    private static String bytePairs(SentencePieceModel model) {
        var vocabulary = new LinkedHashMap<String, Integer>();
        model.pieces().forEach(piece -> vocabulary.putIfAbsent(piece.text(), vocabulary.size()));
        var merges = new StringJoiner(", ", "[", "]");
        model.merges().forEach(pair -> merges.add(TokenizerJson.list(pair)));
        return """
            {"type": "BPE", "unk_token": %s, "fuse_unk": true, "byte_fallback": %s, "vocab": %s, "merges": %s}
            """.formatted(
                        TokenizerJson.quoted(model.pieces().get(model.unknown()).text()),
                        model.fallsBack(),
                        TokenizerJson.object(vocabulary),
                        merges);
    }
}
