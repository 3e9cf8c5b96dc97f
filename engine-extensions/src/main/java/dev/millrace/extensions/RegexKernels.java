package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.text.WatchedText;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The kernels of operators with regular expressions. */
final class RegexKernels {
    private RegexKernels() {}

    /** @param rewrites makes a replacement of Java's of one of the operator's */
    static DynamicKernel replacing(Node node, UnaryOperator<String> rewrites) {
        boolean isGlobal = node.attributes().flag("global_replace", true);
        int flags = node.attributes().flag("ignore_case", false) ? Pattern.CASE_INSENSITIVE : 0;
        return context -> {
            Pattern pattern = pattern(context, 1, flags);
            String replacement = rewrites.apply(StringKernels.single(context, 2));
            Tensor texts = context.tensor(0);
            String[] made = texts.strings().clone();
            for (int i = 0; i < made.length; i++) {
                made[i] = replaced(context, pattern, made[i], replacement, isGlobal);
            }
            context.output(0, Tensor.ofStrings(texts.shape(), made));
        };
    }

    private static String replaced(
            DynamicContext context, Pattern pattern, String text, String replacement, boolean isGlobal) {
        Matcher matcher = pattern.matcher(new WatchedText(text, context::checkCancelled));
        try {
            return isGlobal ? matcher.replaceAll(replacement) : matcher.replaceFirst(replacement);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw EngineException.invalidArgument(
                    context.node().describe() + ": replacement '" + replacement + "': " + e.getMessage());
        } catch (StackOverflowError _) {
            throw tooDeep(context, text);
        }
    }

    private static EngineException tooDeep(DynamicContext context, String text) {
        return EngineException.invalidArgument(context.node().describe()
                + ": the pattern repeats a choice too often for a text of " + text.length() + " characters");
    }

    private static Pattern pattern(DynamicContext context, int input, int flags) {
        String text = StringKernels.single(context, input);
        try {
            // RE2 spells named groups otherwise
            return Pattern.compile(text.replace("(?P<", "(?<"), flags);
        } catch (PatternSyntaxException e) {
            throw EngineException.invalidArgument(
                    context.node().describe() + ": pattern '" + text + "': " + e.getDescription());
        }
    }

    /** Returns a replacement of RE2, with groups like {@code \1}, in Java's form. */
    static String fromRe2(String rewrite) {
        var made = new StringBuilder();
        for (int i = 0; i < rewrite.length(); i++) {
            char each = rewrite.charAt(i);
            char next = i + 1 < rewrite.length() ? rewrite.charAt(i + 1) : ' ';
            if (each == '\\' && next >= '0' && next <= '9') {
                made.append('$').append(next);
                i++;
            } else if (each == '\\' || each == '$') {
                made.append('\\').append(each);
                i += each == '\\' && next == '\\' ? 1 : 0;
            } else {
                made.append(each);
            }
        }
        return made.toString();
    }

    /** Returns a replacement of ECMAScript, with groups like {@code $1} and {@code $&}, in Java's form. */
    static String fromEcma(String rewrite) {
        var made = new StringBuilder();
        for (int i = 0; i < rewrite.length(); i++) {
            char each = rewrite.charAt(i);
            char next = i + 1 < rewrite.length() ? rewrite.charAt(i + 1) : ' ';
            if (each == '$' && (next == '&' || next >= '0' && next <= '9')) {
                made.append('$').append(next == '&' ? '0' : next);
                i++;
            } else if (each == '\\' || each == '$') {
                made.append('\\').append(each);
                i += each == '$' && next == '$' ? 1 : 0;
            } else {
                made.append(each);
            }
        }
        return made.toString();
    }

    /** Splits texts into words, and keeps separators that the third input matches. */
    static void split(DynamicContext context) {
        Pattern pattern = pattern(context, 1, 0);
        boolean hasKept = context.inputCount() > 2
                && context.input(2) != null
                && context.tensor(2).elements() == 1
                && !StringKernels.single(context, 2).isEmpty();
        Pattern kept = hasKept ? pattern(context, 2, 0) : null;
        String[] texts = context.tensor(0).strings();
        List<String> words = new ArrayList<>();
        List<Long> offsets = new ArrayList<>();
        long[] rows = new long[texts.length + 1];
        for (int row = 0; row < texts.length; row++) {
            String text = texts[row];
            try {
                Matcher separator = pattern.matcher(new WatchedText(text, context::checkCancelled));
                int from = 0;
                while (separator.find()) {
                    add(words, offsets, row, text, from, separator.start());
                    if (kept != null
                            && kept.matcher(new WatchedText(separator.group(), context::checkCancelled))
                                    .matches()) {
                        add(words, offsets, row, text, separator.start(), separator.end());
                    }
                    from = separator.end();
                }
                add(words, offsets, row, text, from, text.length());
            } catch (StackOverflowError _) {
                throw tooDeep(context, text);
            }
            rows[row + 1] = words.size();
        }
        context.output(0, Tensor.ofStrings(Shape.of(words.size()), words.toArray(String[]::new)));
        context.output(
                1, Tensor.copyOf(offsets.stream().mapToLong(Long::longValue).toArray(), words.size(), 3));
        context.output(2, Tensor.copyOf(rows, rows.length));
    }

    private static void add(List<String> words, List<Long> offsets, int row, String text, int from, int to) {
        if (from < to) {
            words.add(text.substring(from, to));
            offsets.add((long) row);
            offsets.add((long) text.codePointCount(0, from));
            offsets.add((long) text.codePointCount(0, to));
        }
    }
}
