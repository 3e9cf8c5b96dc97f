package dev.millrace.codegen.asm;

/** An immutable set of features. {@link Feature#BASE} is in each. */
public final class FeatureSet {
    public static final FeatureSet BASE = new FeatureSet(1);

    private final int bits;

    private FeatureSet(int bits) {
        this.bits = bits | 1;
    }

    public static FeatureSet of(Feature... features) {
        return BASE.with(features);
    }

    public static FeatureSet all() {
        return of(Feature.values());
    }

    public FeatureSet with(Feature... features) {
        int union = bits;
        for (Feature feature : features) {
            union |= 1 << feature.ordinal();
        }
        return new FeatureSet(union);
    }

    public FeatureSet without(Feature... features) {
        return new FeatureSet(bits & ~of(features).bits);
    }

    public boolean has(Feature feature) {
        return (bits >> feature.ordinal() & 1) != 0;
    }

    public boolean hasAll(Feature... features) {
        int wanted = of(features).bits;
        return (bits & wanted) == wanted;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FeatureSet set && set.bits == bits;
    }

    @Override
    public int hashCode() {
        return bits;
    }

    @Override
    public String toString() {
        StringBuilder names = new StringBuilder();
        for (Feature feature : Feature.values()) {
            if (feature != Feature.BASE && has(feature)) {
                names.append(names.isEmpty() ? "" : " ").append(feature);
            }
        }
        return names.toString();
    }
}
