package dev.millrace.providers.cpu.image.jpeg2000;

import dev.millrace.providers.cpu.image.source.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The settings from the markers of the main header for all tiles, or from a tile's header for that one. */
final class TileSettings {
    /** The key, in place of a component's number, of settings for all components without their own. */
    private static final int ALL = -1;

    private static final int OWN_PRECINCTS = 1;

    private final int components;
    private final @Nullable TileSettings main;
    private final Map<Integer, CodingStyle> styles = new HashMap<>();
    private final Map<Integer, Quantization> quantizations = new HashMap<>();
    private final Map<Integer, Integer> shifts = new HashMap<>();
    private @Nullable Layering layering;
    private final List<Progression> changes = new ArrayList<>();

    /**
     * The settings of all components of a tile.
     *
     * @param packetStarts whether markers may precede packets
     * @param headerEnds whether markers follow the headers of packets
     * @param order the number of the progression order
     * @param transformed whether the first three components are mixed by a colour transform
     */
    record Layering(boolean packetStarts, boolean headerEnds, int order, int layers, boolean transformed) {}

    TileSettings(int components, @Nullable TileSettings main) {
        this.components = components;
        this.main = main;
    }

    void readStyle(Bytes marker) {
        int flags = marker.octet();
        int order = marker.octet();
        int layers = marker.big16();
        int transform = marker.octet();
        if (layers == 0 || order > Progression.LAST) {
            throw new IllegalArgumentException(layers + " layers in progression order " + order
                    + "; there is at least one layer, and orders are 0 to " + Progression.LAST);
        }
        layering = new Layering((flags & 2) != 0, (flags & 4) != 0, order, layers, transform != 0);
        styles.put(ALL, CodingStyle.read(marker, (flags & OWN_PRECINCTS) != 0));
    }

    void readComponentStyle(Bytes marker) {
        int component = component(marker);
        int flags = marker.octet();
        styles.put(component, CodingStyle.read(marker, (flags & OWN_PRECINCTS) != 0));
    }

    void readQuantization(Bytes marker) {
        quantizations.put(ALL, Quantization.read(marker));
    }

    void readComponentQuantization(Bytes marker) {
        quantizations.put(component(marker), Quantization.read(marker));
    }

    /** Reads a region of interest: its coefficients are shifted up by a number of bits. */
    void readRegion(Bytes marker) {
        int component = component(marker);
        marker.skip(1);
        shifts.put(component, marker.octet());
    }

    void readChanges(Bytes marker) {
        while (marker.remaining() > 0) {
            changes.add(Progression.read(marker, components));
        }
    }

    private int component(Bytes marker) {
        int component = marker.octet();
        if (component >= components) {
            throw new IllegalArgumentException(
                    "a marker for component " + component + " of an image of " + components + " components");
        }
        return component;
    }

    Layering layering() {
        if (layering != null) {
            return layering;
        }
        if (main == null) {
            throw new IllegalArgumentException("the main header has no coding style");
        }
        return main.layering();
    }

    CodingStyle style(int component) {
        CodingStyle own = styles.getOrDefault(component, styles.get(ALL));
        if (own != null) {
            return own;
        }
        if (main == null) {
            throw new IllegalArgumentException("the main header has no coding style");
        }
        return main.style(component);
    }

    Quantization quantization(int component) {
        Quantization own = quantizations.getOrDefault(component, quantizations.get(ALL));
        if (own != null) {
            return own;
        }
        if (main == null) {
            throw new IllegalArgumentException("the main header has no quantization");
        }
        return main.quantization(component);
    }

    int shift(int component) {
        Integer own = shifts.get(component);
        return own != null ? own : main == null ? 0 : main.shift(component);
    }

    /** Returns the progressions, one after the other. */
    List<Progression> progressions() {
        if (!changes.isEmpty()) {
            return changes;
        }
        if (main != null && !main.changes.isEmpty()) {
            return main.changes;
        }
        return List.of(Progression.whole(layering().order(), layering().layers(), components));
    }
}
