package dev.millrace.cli.fire;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Models that were changed: each is answered, alike with and without optimisation, or refused with a reason. */
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
        List<Map.Entry<String, byte[]>> models = List.copyOf(FireModels.all().entrySet());
        try (var ways = new TwoWays()) {
            Fire.attempts(
                    "mutants",
                    MUTANTS,
                    ways,
                    random -> attack(ways, models.get(random.nextInt(models.size())), random));
            ways.requireFewIllConditioned();
            ways.requireUnharmed(FireModels.perceptron());
        }
    }

    @Test
    void mutantsOfStoredModelsAnswerAlikeOrAreRefused() throws Exception {
        List<StoredModel> models = StoredModel.all();
        try (var ways = new TwoWays()) {
            Fire.attempts("mutants of stored models", STORED_MUTANTS, ways, random -> {
                StoredModel model = models.get(random.nextInt(models.size()));
                attack(ways, Map.entry(model.name(), model.bytes()), random);
            });
            ways.requireFewIllConditioned();
            ways.requireUnharmed(FireModels.perceptron());
        }
    }

    private static void attack(TwoWays ways, Map.Entry<String, byte[]> model, Random random) {
        byte[] mutant = ModelMutator.mutate(model.getValue(), random);
        ways.tryOut("a mutant of " + model.getKey() + " (" + random + ")", mutant, random.nextLong());
    }
}
