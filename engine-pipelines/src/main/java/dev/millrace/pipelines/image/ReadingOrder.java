package dev.millrace.pipelines.image;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The order in which lines of text are read. */
final class ReadingOrder {
    private ReadingOrder() {}

    /** Returns regions from top to bottom; those beside each other, whose middles lie within half a line, from left to right. */
    static List<TextRegion> of(List<TextRegion> regions) {
        var rest = new ArrayList<>(regions);
        rest.sort(Comparator.comparingDouble(ReadingOrder::middle));
        var ordered = new ArrayList<TextRegion>();
        while (!rest.isEmpty()) {
            TextRegion first = rest.getFirst();
            double below = middle(first) + first.quad().bounds().height() / 2;
            List<TextRegion> row = rest.stream()
                    .filter(each -> middle(each) <= below)
                    .sorted(Comparator.comparingDouble(
                            each -> each.quad().bounds().left()))
                    .toList();
            rest.subList(0, row.size()).clear();
            ordered.addAll(row);
        }
        return List.copyOf(ordered);
    }

    private static double middle(TextRegion region) {
        Box bounds = region.quad().bounds();
        return (bounds.top() + bounds.bottom()) / 2;
    }
}
