package dev.millrace.bench.agree;

import dev.millrace.bench.agree.MutantTrial.End;
import dev.millrace.bench.agree.MutantTrial.Result;
import dev.millrace.bench.compare.LineWorker;
import dev.millrace.bench.reference.OnnxRuntimeSession;
import dev.millrace.cli.fire.Mutants;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The process that runs changed models on all sides: reads a number, prints what came of it. */
final class MutantWorker {
    /** Held, since its level is lost with it: what models say of themselves and isn't so fills the log otherwise. */
    private static final Logger NOTES = Logger.getLogger("dev.millrace");

    private MutantWorker() {}

    /** @param arguments the kind of changes, the seed, and a folder for files */
    public static void main(String[] arguments) throws Exception {
        NOTES.setLevel(Level.SEVERE);
        Mutation mutation = Mutation.valueOf(arguments[0]);
        long seed = Long.parseLong(arguments[1]);
        Path folder = Path.of(arguments[2]);
        Mutants mutants = mutation.all();
        var runtime = new OnnxRuntimeSession.Runtime();
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build())) {
            LineWorker.serve((number, stages) -> {
                Mutants.Mutant mutant = mutants.draw(mutation.random(seed, Long.parseLong(number)));
                var trial = new MutantTrial(mutant, engine, runtime, folder, stages);
                Result result;
                try {
                    result = trial.run();
                } catch (OutOfMemoryError tooLarge) {
                    // answers that cannot be kept cannot be compared
                    result = new Result(End.REFUSED, "");
                } catch (RuntimeException | LinkageError | StackOverflowError defect) {
                    result = new Result(End.DIFFERENT, mutant.name() + ": an exception that is no answer: " + defect);
                }
                return result.toLine();
            });
        }
    }
}
