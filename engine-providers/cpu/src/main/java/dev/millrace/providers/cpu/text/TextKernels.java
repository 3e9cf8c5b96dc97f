package dev.millrace.providers.cpu.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.providers.text.WatchedText;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** The kernels of operators on strings. */
public final class TextKernels {
    private TextKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case "StringConcat" -> (ShapedKernel) TextKernels::concat;
            case "RegexFullMatch" -> matches(node);
            case OpName.STRING_NORMALIZER -> normalizer(node);
            case "StringSplit" -> splitter(node);
            case "TfIdfVectorizer" -> NGrams.kernel(node);
            default -> null;
        };
    }

    private static Launch concat(BindContext context) {
        Shape out = context.outputShape(0);
        long[] left = broadcastSteps(context.inputShape(0), out);
        long[] right = broadcastSteps(context.inputShape(1), out);
        return run -> {
            String[] a = run.inputStrings(0);
            String[] b = run.inputStrings(1);
            String[] joined = run.outputStrings(0);
            for (int i = 0; i < joined.length; i++) {
                run.checkCancelled(i);
                joined[i] = a[place(i, left, out)].concat(b[place(i, right, out)]);
            }
        };
    }

    private static long[] broadcastSteps(Shape in, Shape out) {
        long[] steps = new long[out.rank()];
        long[] strides = in.strides();
        int lead = out.rank() - in.rank();
        for (int i = lead; i < steps.length; i++) {
            steps[i] = in.dim(i - lead) == 1 ? 0 : strides[i - lead];
        }
        return steps;
    }

    private static int place(int index, long[] steps, Shape out) {
        long place = 0;
        long rest = index;
        for (int i = steps.length - 1; i >= 0; i--) {
            place += rest % out.dim(i) * steps[i];
            rest /= out.dim(i);
        }
        return (int) place;
    }

    private static ShapedKernel matches(Node node) {
        Pattern pattern = pattern(node, node.attributes().text("pattern"));
        return context -> run -> {
            String[] strings = run.inputStrings(0);
            for (int i = 0; i < strings.length; i++) {
                run.checkCancelled(i);
                run.output(0).set(ByteLayouts.BYTE, i, (byte) (matches(pattern, strings[i], run) ? 1 : 0));
            }
        };
    }

    static Pattern pattern(Node node, String text) {
        try {
            // Java spells named groups otherwise
            return Pattern.compile(text.replace("(?P<", "(?<"));
        } catch (PatternSyntaxException e) {
            throw EngineException.invalidGraph(node.describe() + ": pattern '" + text + "': " + e.getDescription());
        } catch (StackOverflowError e) {
            throw EngineException.invalidGraph(
                    node.describe() + ": the pattern of " + text.length() + " characters is nested too deep");
        }
    }

    private static boolean matches(Pattern pattern, String text, LaunchContext run) {
        try {
            return pattern.matcher(new WatchedText(text, run::checkCancelled)).matches();
        } catch (StackOverflowError e) {
            throw EngineException.invalidArgument(
                    "the pattern repeats a choice too often for a text of " + text.length() + " characters");
        }
    }

    /** Drops stop words and changes case; what would be empty is one empty string. */
    private static DynamicKernel normalizer(Node node) {
        String action = node.attributes().text("case_change_action", "NONE");
        Locale locale =
                Locale.forLanguageTag(node.attributes().text("locale", "en-US").replace('_', '-'));
        UnaryOperator<String> change = switch (action) {
            case "NONE" -> text -> text;
            case "LOWER" -> text -> text.toLowerCase(locale);
            case "UPPER" -> text -> text.toUpperCase(locale);
            default -> throw EngineException.invalidGraph(node.describe() + ": case_change_action '" + action + "'");
        };
        boolean exact = node.attributes().flag("is_case_sensitive", false);
        UnaryOperator<String> compared = exact ? text -> text : text -> text.toLowerCase(locale);
        List<String> listed = node.attributes().texts("stopwords");
        Set<String> stopWords = new HashSet<>();
        for (String word : listed == null ? List.<String>of() : listed) {
            stopWords.add(compared.apply(word));
        }
        return context -> {
            Tensor words = context.tensor(0);
            List<String> kept = new ArrayList<>();
            long looked = 0;
            for (String word : words.strings()) {
                context.checkCancelled(looked++);
                if (!stopWords.contains(compared.apply(word))) {
                    kept.add(change.apply(word));
                }
            }
            if (kept.isEmpty()) {
                kept.add("");
            }
            Shape shape = words.shape().rank() == 2 ? Shape.of(1, kept.size()) : Shape.of(kept.size());
            context.output(0, Tensor.ofStrings(shape, kept.toArray(new String[0])));
        };
    }

    private static DynamicKernel splitter(Node node) {
        String delimiter = node.attributes().text("delimiter", "");
        long most = node.attributes().integer("maxsplit", Long.MAX_VALUE);
        boolean bySpace = delimiter.isEmpty();
        Pattern pattern = bySpace ? Pattern.compile("\\s+") : Pattern.compile(delimiter, Pattern.LITERAL);
        return context -> split(context, pattern, bySpace, most < 0 ? Long.MAX_VALUE : most);
    }

    private static void split(DynamicContext context, Pattern delimiter, boolean bySpace, long most) {
        Tensor texts = context.tensor(0);
        List<List<String>> parts = new ArrayList<>();
        int width = 0;
        for (String text : texts.strings()) {
            context.checkCancelled(parts.size());
            List<String> split = split(bySpace ? text.stripLeading() : text, delimiter, bySpace, most);
            parts.add(split);
            width = Math.max(width, split.size());
        }
        String[] table = new String[ArrayExtents.product("parts", parts.size(), width)];
        long[] counts = new long[parts.size()];
        Arrays.fill(table, "");
        for (int i = 0; i < counts.length; i++) {
            context.checkCancelled(i);
            counts[i] = parts.get(i).size();
            for (int k = 0; k < counts[i]; k++) {
                table[i * width + k] = parts.get(i).get(k);
            }
        }
        long[] dims = Arrays.copyOf(texts.shape().toArray(), texts.shape().rank() + 1);
        dims[dims.length - 1] = width;
        context.output(0, Tensor.ofStrings(Shape.of(dims), table));
        context.output(1, Tensor.copyOf(counts, texts.shape().toArray()));
    }

    private static List<String> split(String text, Pattern delimiter, boolean bySpace, long most) {
        List<String> parts = new ArrayList<>();
        Matcher matcher = delimiter.matcher(text);
        int at = 0;
        while (parts.size() < most && matcher.find()) {
            parts.add(text.substring(at, matcher.start()));
            at = matcher.end();
        }
        if (!bySpace || at < text.length()) {
            parts.add(text.substring(at));
        }
        return parts;
    }
}
