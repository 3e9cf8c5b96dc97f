package dev.millrace.graph.ir;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a node, by name, in the order of the file. Immutable; typed getters throw with the attribute's
 * name.
 */
public final class Attributes {
    public static final Attributes NONE = new Attributes(Map.of(), Map.of());

    private final Map<String, Attribute> byName;
    /** Notes by attribute. They are no part of a node's meaning: nodes that differ in them alone are equal. */
    private final Map<String, AttributeNotes> notes;

    private final boolean hasGraphs;

    private Attributes(Map<String, Attribute> byName, Map<String, AttributeNotes> notes) {
        this.byName = byName;
        this.notes = notes;
        this.hasGraphs = hasGraphs(byName);
    }

    public static Attributes of(Map<String, Attribute> byName) {
        return of(byName, Map.of());
    }

    /** @param notes the notes that a file holds for some of the attributes beside their values */
    public static Attributes of(Map<String, Attribute> byName, Map<String, AttributeNotes> notes) {
        return byName.isEmpty()
                ? NONE
                : new Attributes(Collections.unmodifiableMap(new LinkedHashMap<>(byName)), Map.copyOf(notes));
    }

    public static Attributes of(String name, Attribute value) {
        return new Attributes(Map.of(name, value), Map.of());
    }

    public Attributes with(String name, Attribute value) {
        var copy = new LinkedHashMap<>(byName);
        copy.put(name, value);
        return of(copy, notesWithout(name));
    }

    public Attributes without(String name) {
        var copy = new LinkedHashMap<>(byName);
        copy.remove(name);
        return of(copy, notesWithout(name));
    }

    /** Returns the notes without those of {@code name}: a new value does not inherit the notes of the old one. */
    private Map<String, AttributeNotes> notesWithout(String name) {
        if (!notes.containsKey(name)) {
            return notes;
        }
        var others = new HashMap<>(notes);
        others.remove(name);
        return others;
    }

    /** Returns these attributes with each nested graph replaced by the result of {@code others}. */
    public Attributes withGraphs(UnaryOperator<Graph> others) {
        if (!hasGraphs) {
            return this;
        }
        var copy = new LinkedHashMap<>(byName);
        copy.replaceAll((_, attribute) -> switch (attribute) {
            case Attribute.GraphValue one -> new Attribute.GraphValue(others.apply(one.value()));
            case Attribute.Graphs many ->
                new Attribute.Graphs(many.values().stream().map(others).toList());
            default -> attribute;
        });
        return of(copy, notes);
    }

    /** The notes of an attribute; {@link AttributeNotes#NONE} where there are none. */
    public AttributeNotes notes(String name) {
        return notes.getOrDefault(name, AttributeNotes.NONE);
    }

    public Map<String, Attribute> asMap() {
        return byName;
    }

    public Set<String> names() {
        return byName.keySet();
    }

    public boolean isEmpty() {
        return byName.isEmpty();
    }

    public boolean has(String name) {
        return byName.containsKey(name);
    }

    public @Nullable Attribute find(String name) {
        return byName.get(name);
    }

    public long integer(String name, long otherwise) {
        return has(name) ? integer(name) : otherwise;
    }

    public long integer(String name) {
        return require(name, Attribute.Int.class).value();
    }

    public boolean flag(String name, boolean otherwise) {
        return integer(name, otherwise ? 1 : 0) != 0;
    }

    /** Whether the attribute is exactly 1. */
    public boolean isOne(String name, boolean otherwise) {
        return integer(name, otherwise ? 1 : 0) == 1;
    }

    public float real(String name, float otherwise) {
        return has(name) ? real(name) : otherwise;
    }

    public float real(String name) {
        return require(name, Attribute.Float.class).value();
    }

    public String text(String name, String otherwise) {
        return has(name) ? text(name) : otherwise;
    }

    public String text(String name) {
        return require(name, Attribute.Bytes.class).text();
    }

    /** The list, or null where there is none. */
    public long @Nullable [] integers(String name) {
        if (!has(name)) {
            return null;
        }
        List<Long> values = require(name, Attribute.Ints.class).values();
        long[] integers = new long[values.size()];
        for (int i = 0; i < integers.length; i++) {
            integers[i] = values.get(i);
        }
        return integers;
    }

    /** The list, or null where there is none. */
    public float @Nullable [] reals(String name) {
        if (!has(name)) {
            return null;
        }
        List<Float> values = require(name, Attribute.Floats.class).values();
        float[] reals = new float[values.size()];
        for (int i = 0; i < reals.length; i++) {
            reals[i] = values.get(i);
        }
        return reals;
    }

    /** The list, or null where there is none. */
    public @Nullable List<String> texts(String name) {
        return has(name)
                ? require(name, Attribute.Strings.class).values().stream()
                        .map(Attribute.Bytes::text)
                        .toList()
                : null;
    }

    public Tensor tensor(String name) {
        return require(name, Attribute.TensorValue.class).value();
    }

    public Graph graph(String name) {
        return require(name, Attribute.GraphValue.class).value();
    }

    public ValueType type(String name) {
        return require(name, Attribute.TypeValue.class).value();
    }

    /** Every subgraph, in the order of the attributes. */
    public List<Graph> graphs() {
        if (!hasGraphs) {
            return List.of();
        }
        var graphs = new ArrayList<Graph>();
        for (Attribute attribute : byName.values()) {
            if (attribute instanceof Attribute.GraphValue one) {
                graphs.add(one.value());
            } else if (attribute instanceof Attribute.Graphs many) {
                graphs.addAll(many.values());
            }
        }
        return graphs;
    }

    private static boolean hasGraphs(Map<String, Attribute> byName) {
        for (Attribute attribute : byName.values()) {
            if (attribute instanceof Attribute.GraphValue || attribute instanceof Attribute.Graphs) {
                return true;
            }
        }
        return false;
    }

    private <A extends Attribute> A require(String name, Class<A> kind) {
        Attribute attribute = byName.get(name);
        if (attribute == null) {
            throw EngineException.invalidGraph("attribute '" + name + "' is missing");
        }
        if (!kind.isInstance(attribute)) {
            throw EngineException.invalidGraph("attribute '" + name + "' is of kind "
                    + attribute.getClass().getSimpleName() + " where "
                    + kind.getSimpleName() + " is expected");
        }
        return kind.cast(attribute);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Attributes attributes && byName.equals(attributes.byName);
    }

    @Override
    public int hashCode() {
        return byName.hashCode();
    }

    @Override
    public String toString() {
        return byName.toString();
    }
}
