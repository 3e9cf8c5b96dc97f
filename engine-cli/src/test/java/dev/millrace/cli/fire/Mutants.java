package dev.millrace.cli.fire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** A source of mutated models. */
public final class Mutants {
    private final List<Origin> origins;

    private record Origin(String name, Supplier<byte[]> model) {}

    /**
     * A mutated model.
     *
     * @param name the name of the original model
     * @param model the file's content
     * @param inputsSeed the seed of its inputs
     */
    public record Mutant(String name, byte[] model, long inputsSeed) {}

    private Mutants(List<Origin> origins) {
        this.origins = List.copyOf(origins);
    }

    /** Returns mutants of small models of every family. */
    public static Mutants ofFamilies() {
        var origins = new ArrayList<Origin>();
        FireModels.all().forEach((name, model) -> origins.add(new Origin(name, () -> model)));
        return new Mutants(origins);
    }

    /** Returns mutants of third-party models; if there are none, the calling test is skipped. */
    public static Mutants ofStored() throws IOException {
        return new Mutants(StoredModel.all().stream()
                .map(model -> new Origin(model.name(), model::bytes))
                .toList());
    }

    public Mutant draw(Random random) {
        Origin origin = origins.get(random.nextInt(origins.size()));
        byte[] model = ModelMutator.mutate(origin.model().get(), random);
        return new Mutant("a mutant of " + origin.name(), model, random.nextLong());
    }
}
