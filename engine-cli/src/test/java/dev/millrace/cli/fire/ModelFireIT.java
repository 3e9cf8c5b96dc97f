package dev.millrace.cli.fire;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Models that were changed: each is answered, alike with and without optimisation, or refused with a reason. */
@Tag("fuzz")
@Tag("slow")
class ModelFireIT {
    private static final int MUTANTS = 2_000;
    private static final int STORED_MUTANTS = 600;

    @Test
    void modelsOfEveryFamilyAreRunAsTheyAre() {
        try (var ways = new TwoWays()) {
            FireModels.all().forEach((name, model) -> {
                ways.tryOut(name, model, 1);
                ways.requireUnharmed(model);
            });
        }
    }

    @Test
    void mutantsAnswerAlikeOrAreRefused() throws Exception {
        attack("mutants", MUTANTS, Mutants.ofFamilies());
    }

    @Test
    void mutantsOfStoredModelsAnswerAlikeOrAreRefused() throws Exception {
        attack("mutants of stored models", STORED_MUTANTS, Mutants.ofStored());
    }

    private static void attack(String what, int count, Mutants mutants) throws Exception {
        try (var ways = new TwoWays()) {
            Fire.attempts(what, count, ways, random -> {
                Mutants.Mutant mutant = mutants.draw(random);
                ways.tryOut(mutant.name() + " (" + random + ")", mutant.model(), mutant.inputsSeed());
            });
            ways.requireFewIllConditioned();
            ways.requireUnharmed(FireModels.perceptron());
        }
    }
}
