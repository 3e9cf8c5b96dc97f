package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.text.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tokenizer that divides words into pieces, the longest one first. */
final class WordPieceKernel {
    private static final int UNKNOWN = -1;

    private final Map<String, Integer> vocabulary;
    private final String suffix;
    private final String unknown;
    private final long longest;

    /** The pieces of words so far. */
    private static final class Pieces {
        private final List<String> tokens = new ArrayList<>();
        private final List<Integer> ids = new ArrayList<>();

        void add(String token, int id) {
            tokens.add(token);
            ids.add(id);
        }
    }

    private WordPieceKernel(Map<String, Integer> vocabulary, Attributes attributes) {
        this.vocabulary = vocabulary;
        this.suffix = attributes.text("suffix_indicator");
        this.unknown = attributes.text("unknown_token", attributes.text("unk_token", "[UNK]"));
        this.longest = attributes.integer("max_input_chars_per_word", 200);
    }

    static DynamicKernel of(Node node) {
        byte[] json = node.attributes().text("vocab").getBytes(StandardCharsets.UTF_8);
        Map<String, Integer> vocabulary = new HashMap<>();
        try {
            Json.parse(json, "the vocabulary").properties().forEach((token, id) -> vocabulary.put(token, id.integer()));
        } catch (EngineException e) {
            throw EngineException.invalidGraph(node.describe() + ": " + e.getMessage());
        }
        var kernel = new WordPieceKernel(vocabulary, node.attributes());
        return context -> {
            String[] words = context.tensor(0).strings();
            int[] starts = new int[words.length + 1];
            var pieces = new Pieces();
            for (int i = 0; i < words.length; i++) {
                context.checkCancelled(i);
                kernel.divide(words[i], pieces);
                starts[i + 1] = pieces.tokens.size();
            }
            int count = pieces.tokens.size();
            context.output(0, Tensor.ofStrings(Shape.of(count), pieces.tokens.toArray(String[]::new)));
            context.output(
                    1,
                    Tensor.copyOf(
                            pieces.ids.stream().mapToInt(Integer::intValue).toArray(), count));
            long[] rows = context.inputCount() > 1 && context.input(1) != null
                    ? context.tensor(1).longs()
                    : new long[0];
            context.output(2, rows(node, rows, starts));
        };
    }

    /** Returns the first token of each row: of each word if there are no rows of words. */
    private static Tensor rows(Node node, long[] rows, int[] starts) {
        long[] made = new long[rows.length == 0 ? starts.length : rows.length];
        for (int i = 0; i < made.length; i++) {
            long word = rows.length == 0 ? i : rows[i];
            if (word < 0 || word >= starts.length) {
                throw EngineException.invalidArgument(
                        node.describe() + ": a row begins at word " + word + " of " + (starts.length - 1));
            }
            made[i] = starts[(int) word];
        }
        return Tensor.copyOf(made, made.length);
    }

    private void divide(String word, Pieces pieces) {
        if (word.codePointCount(0, word.length()) > longest) {
            pieces.add(unknown, UNKNOWN);
            return;
        }
        for (int from = 0; from < word.length(); ) {
            int end = word.length();
            Integer id = null;
            String piece = "";
            while (end > from && id == null) {
                piece = (from == 0 ? "" : suffix) + word.substring(from, end);
                id = vocabulary.get(piece);
                end = id == null ? word.offsetByCodePoints(end, -1) : end;
            }
            if (id == null) {
                pieces.add(unknown, UNKNOWN);
                return;
            }
            pieces.add(piece, id);
            from = end;
        }
    }
}
