package dev.millrace.providers.cpu.image.jpeg2000;

import dev.millrace.providers.cpu.image.source.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A progression: an order of packets of the layers below {@code layerEnd}, and of a range of resolutions and of
 * components.
 */
record Progression(
        int order, int resolutionStart, int resolutionEnd, int componentStart, int componentEnd, int layerEnd) {
    static final int LAYERS_FIRST = 0;
    static final int RESOLUTIONS_THEN_LAYERS = 1;
    static final int RESOLUTIONS_THEN_PLACES = 2;
    static final int PLACES_FIRST = 3;
    static final int LAST = 4;

    private static final int MOST_RESOLUTIONS = 33;

    private static final Comparator<Precinct> BY_COMPONENT = Comparator.comparingInt(p -> p.component);
    private static final Comparator<Precinct> BY_RESOLUTION = Comparator.comparingInt(p -> p.resolution);
    private static final Comparator<Precinct> BY_PLACE =
            Comparator.comparingLong((Precinct p) -> p.y).thenComparingLong(p -> p.x);
    private static final Comparator<Precinct> BY_INDEX = Comparator.comparingInt(p -> p.index);

    /** A visitor of the layers of precincts. */
    interface Visitor {
        void visit(Precinct precinct, int layer);
    }

    static Progression whole(int order, int layers, int components) {
        return new Progression(order, 0, MOST_RESOLUTIONS, 0, components, layers);
    }

    static Progression read(Bytes marker, int components) {
        int resolutionStart = marker.octet();
        int componentStart = marker.octet();
        int layerEnd = marker.big16();
        int resolutionEnd = marker.octet();
        int componentEnd = marker.octet();
        int order = marker.octet();
        if (order > LAST) {
            throw new IllegalArgumentException("progression order " + order + "; known are 0 to " + LAST);
        }
        return new Progression(
                order,
                resolutionStart,
                resolutionEnd,
                componentStart,
                componentEnd == 0 ? components : componentEnd,
                layerEnd);
    }

    /** Visits each layer of each precinct in this order. */
    void forEach(List<Precinct> precincts, int layers, Visitor visitor) {
        List<Precinct> ordered = new ArrayList<>();
        for (Precinct precinct : precincts) {
            if (resolutionStart <= precinct.resolution
                    && precinct.resolution < resolutionEnd
                    && componentStart <= precinct.component
                    && precinct.component < componentEnd) {
                ordered.add(precinct);
            }
        }
        ordered.sort(comparator());
        int end = Math.min(layers, layerEnd);
        int start = 0;
        while (start < ordered.size()) {
            int stop = start + 1;
            while (stop < ordered.size() && layeredTogether(ordered.get(start), ordered.get(stop))) {
                stop++;
            }
            for (int layer = 0; layer < end; layer++) {
                for (Precinct precinct : ordered.subList(start, stop)) {
                    visitor.visit(precinct, layer);
                }
            }
            start = stop;
        }
    }

    /** Whether a layer of one precinct is followed by the same layer of the other. */
    private boolean layeredTogether(Precinct a, Precinct b) {
        return order == LAYERS_FIRST || (order == RESOLUTIONS_THEN_LAYERS && a.resolution == b.resolution);
    }

    private Comparator<Precinct> comparator() {
        return switch (order) {
            case LAYERS_FIRST, RESOLUTIONS_THEN_LAYERS ->
                BY_RESOLUTION.thenComparing(BY_COMPONENT).thenComparing(BY_INDEX);
            case RESOLUTIONS_THEN_PLACES ->
                BY_RESOLUTION
                        .thenComparing(BY_PLACE)
                        .thenComparing(BY_COMPONENT)
                        .thenComparing(BY_INDEX);
            case PLACES_FIRST ->
                BY_PLACE.thenComparing(BY_COMPONENT)
                        .thenComparing(BY_RESOLUTION)
                        .thenComparing(BY_INDEX);
            default ->
                BY_COMPONENT
                        .thenComparing(BY_PLACE)
                        .thenComparing(BY_RESOLUTION)
                        .thenComparing(BY_INDEX);
        };
    }
}
