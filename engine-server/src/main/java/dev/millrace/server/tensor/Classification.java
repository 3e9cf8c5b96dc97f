package dev.millrace.server.tensor;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The classification extension: the highest scores of each row, as texts {@code score:index} or {@code score:index:label}. */
public final class Classification {
    private Classification() {}

    /**
     * Returns the classes of the highest scores.
     *
     * @param batched whether the first axis has requests of their own
     * @param labels the names of the classes; may be empty
     */
    public static Tensor top(String place, Tensor scores, int count, boolean batched, List<String> labels) {
        Shape shape = scores.shape();
        if (scores.type() == ElementType.STRING || scores.type().isPacked()) {
            throw EngineException.invalidArgument(
                    place + " has elements of type " + scores.type() + ", which are no scores");
        }
        if (count < 1) {
            throw EngineException.invalidArgument(place + ": classification is " + count + "; it is at least 1");
        }
        int rows = batched && shape.rank() > 0 ? Math.toIntExact(shape.dim(0)) : 1;
        int classes = rows == 0 ? 0 : Math.toIntExact(shape.elements() / rows);
        int taken = Math.min(count, classes);
        var texts = new ArrayList<String>(rows * taken);
        for (int row = 0; row < rows; row++) {
            int first = row * classes;
            IntStream.range(0, classes)
                    .boxed()
                    .sorted(Comparator.comparingDouble((Integer i) -> -score(scores, first + i)))
                    .limit(taken)
                    .forEach(i -> texts.add(text(scores, first + i, i, labels)));
        }
        Shape answer = batched ? Shape.of(rows, taken) : Shape.of(taken);
        return Tensor.ofStrings(answer, texts.toArray(new String[0]));
    }

    private static double score(Tensor scores, int index) {
        return Elements.getDouble(scores.type(), scores.segment(), index);
    }

    private static String text(Tensor scores, int index, int number, List<String> labels) {
        String score = scores.type().isFloating()
                ? String.format(Locale.ROOT, "%f", score(scores, index))
                : Long.toString(Elements.getLong(scores.type(), scores.segment(), index));
        String label = number < labels.size() ? labels.get(number) : "";
        return score + ":" + number + (label.isEmpty() ? "" : ":" + label);
    }
}
