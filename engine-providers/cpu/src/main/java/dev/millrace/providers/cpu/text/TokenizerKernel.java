package dev.millrace.providers.cpu.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.text.WatchedText;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tokenizer of {@code com.microsoft}: texts in pieces, between separators, by a pattern, or by character. Texts of fewer
 * pieces are filled up.
 *
 * @param separators applied one after the other; null where a pattern says what a piece is
 * @param token what a piece is; null beside {@code separators}, and where each character is one
 */
public record TokenizerKernel(
        Node node,
        @Nullable List<Pattern> separators,
        @Nullable Pattern token,
        long least,
        boolean marks,
        String fill) implements DynamicKernel {
    private static final String BEGIN = "\u0002";
    private static final String END = "\u0003";

    public static TokenizerKernel of(Node node) {
        Attributes attributes = node.attributes();
        List<String> separators = attributes.texts("separators");
        String token = attributes.text("tokenexp", "");
        long least = attributes.integer("mincharnum");
        boolean characters = separators == null ? token.equals(".") : separators.equals(List.of(""));
        boolean said = separators == null ? !token.isEmpty() : !separators.isEmpty();
        if (!said || least < 1 || characters && least > 1) {
            throw EngineException.invalidGraph(node.describe() + ": separators " + separators + ", tokenexp '" + token
                    + "' and mincharnum " + least + " do not say what a token is");
        }
        return new TokenizerKernel(
                node,
                separators == null || characters
                        ? null
                        : separators.stream()
                                .map(text -> TextKernels.pattern(node, text))
                                .toList(),
                separators != null || characters ? null : TextKernels.pattern(node, token),
                least,
                attributes.integer("mark") != 0,
                attributes.text("pad_value"));
    }

    @Override
    public void run(DynamicContext context) {
        Tensor texts = context.tensor(0);
        int rank = texts.shape().rank();
        if (rank < 1 || rank > 2) {
            throw EngineException.invalidArgument(node.describe() + ": texts of shape " + texts.shape());
        }
        var rows = new ArrayList<List<String>>();
        int most = 0;
        for (String text : texts.strings()) {
            List<String> pieces = pieces(text, context);
            rows.add(pieces);
            most = Math.max(most, pieces.size());
        }
        int width = most == 0 ? 0 : most + (marks ? 2 : 0);
        long[] dims = Arrays.copyOf(texts.shape().toArray(), texts.elements() == 0 ? rank : rank + 1);
        dims[dims.length - 1] = width;
        String[] all = new String[Math.multiplyExact(rows.size(), width)];
        Arrays.fill(all, fill);
        for (int i = 0; i < rows.size() && width > 0; i++) {
            write(rows.get(i), all, i * width);
        }
        context.output(0, Tensor.ofStrings(Shape.of(dims), all));
    }

    private void write(List<String> pieces, String[] all, int from) {
        int at = from;
        if (marks) {
            all[at++] = BEGIN;
        }
        for (String piece : pieces) {
            all[at++] = piece;
        }
        if (marks) {
            all[at] = END;
        }
    }

    private List<String> pieces(String text, DynamicContext context) {
        context.checkCancelled();
        try {
            if (separators != null) {
                List<String> pieces = List.of(text);
                for (Pattern separator : separators) {
                    pieces = between(pieces, separator, context);
                }
                return pieces;
            }
            return token == null
                    ? text.codePoints().mapToObj(Character::toString).toList()
                    : found(text, token, context);
        } catch (StackOverflowError e) {
            throw EngineException.invalidArgument(node.describe()
                    + ": a pattern repeats a choice too often for a text of " + text.length() + " characters");
        }
    }

    private List<String> between(List<String> texts, Pattern separator, DynamicContext context) {
        var pieces = new ArrayList<String>();
        for (String text : texts) {
            Matcher matcher = separator.matcher(new WatchedText(text, context::checkCancelled));
            int from = 0;
            while (from <= text.length() && matcher.find(from)) {
                add(pieces, text, from, matcher.start());
                from = matcher.end() > matcher.start() ? matcher.end() : after(text, matcher.start());
            }
            add(pieces, text, Math.min(from, text.length()), text.length());
        }
        return pieces;
    }

    private List<String> found(String text, Pattern pattern, DynamicContext context) {
        var pieces = new ArrayList<String>();
        Matcher matcher = pattern.matcher(new WatchedText(text, context::checkCancelled));
        int from = 0;
        while (from <= text.length() && matcher.find(from)) {
            boolean added = add(pieces, text, matcher.start(), matcher.end());
            from = added ? matcher.end() : after(text, matcher.start());
        }
        return pieces;
    }

    private static int after(String text, int place) {
        return place < text.length() ? text.offsetByCodePoints(place, 1) : place + 1;
    }

    private boolean add(List<String> pieces, String text, int from, int to) {
        boolean isLong = text.codePointCount(from, to) >= least;
        if (isLong) {
            pieces.add(text.substring(from, to));
        }
        return isLong;
    }
}
