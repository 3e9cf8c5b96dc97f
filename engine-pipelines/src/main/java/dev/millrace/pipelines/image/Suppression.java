package dev.millrace.pipelines.image;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Non-maximum suppression: one detection remains of those that overlap. */
public final class Suppression {
    private Suppression() {}

    private static List<Detection> sorted(List<Detection> detections) {
        return detections.stream()
                .sorted(Comparator.comparingDouble(Detection::score).reversed())
                .toList();
    }

    /**
     * Returns the strongest detections, the strongest one first. A detection goes if one of the same class that is stronger overlaps it by
     * more than {@code overlap}, the intersection over union.
     */
    public static List<Detection> strongest(List<Detection> detections, double overlap) {
        var kept = new ArrayList<Detection>();
        for (Detection next : sorted(detections)) {
            boolean isNew = kept.stream()
                    .noneMatch(each ->
                            each.index() == next.index() && each.box().intersectionOverUnion(next.box()) > overlap);
            if (isNew) {
                kept.add(next);
            }
        }
        return List.copyOf(kept);
    }

    /**
     * Returns the strongest detections, the strongest one first, whose boxes and points are means over all detections that they
     * overlap, weighted by scores (Bazarevsky et al. 2019, BlazeFace).
     */
    public static List<Detection> blended(List<Detection> detections, double overlap) {
        var rest = new ArrayList<>(sorted(detections));
        var kept = new ArrayList<Detection>();
        while (!rest.isEmpty()) {
            Detection strongest = rest.getFirst();
            List<Detection> same = rest.stream()
                    .filter(each -> each == strongest
                            || each.index() == strongest.index()
                                    && each.box().intersectionOverUnion(strongest.box()) > overlap)
                    .toList();
            rest.removeAll(same);
            kept.add(mean(strongest, same));
        }
        return List.copyOf(kept);
    }

    private static Detection mean(Detection strongest, List<Detection> same) {
        double weight = same.stream().mapToDouble(Detection::score).sum();
        double left = 0;
        double top = 0;
        double right = 0;
        double bottom = 0;
        for (Detection each : same) {
            double share = each.score() / weight;
            left += share * each.box().left();
            top += share * each.box().top();
            right += share * each.box().right();
            bottom += share * each.box().bottom();
        }
        var points = new ArrayList<Point>();
        for (int i = 0; i < strongest.points().size(); i++) {
            int index = i;
            points.add(new Point(
                    same.stream()
                            .mapToDouble(each -> each.score()
                                    / weight
                                    * each.points().get(index).x())
                            .sum(),
                    same.stream()
                            .mapToDouble(each -> each.score()
                                    / weight
                                    * each.points().get(index).y())
                            .sum()));
        }
        return new Detection(
                new Box(left, top, right, bottom), strongest.index(), strongest.label(), strongest.score(), points);
    }
}
