package dev.millrace.bench.agree;

import dev.millrace.bench.reference.OnnxRuntimeSession;
import dev.millrace.cli.conformance.BackendCase;
import dev.millrace.cli.io.InputFiles;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.cli.model.KnownModel;
import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs a model on all sides: on the inputs stored beside it, on some that are made up, and on the first ones again. */
final class ModelCheck {
    /** The stages that a process reports before each side's turn. */
    static final String HERE = "here";

    static final String THERE = "there";

    private final Path file;
    private final Settings settings;
    private final Consumer<String> stages;
    private final ModelFileFacts facts;
    private final Roles roles;
    private final Judge judge;
    private final Side.Ours optimised;
    private final Side.Ours plain;
    private final Side.Theirs theirs;
    private final List<Trial> trials = new ArrayList<>();
    private @Nullable Inputs first;
    private int way;

    private ModelCheck(
            Path file, Settings settings, Engine engine, OnnxRuntimeSession.Runtime runtime, Consumer<String> stages) {
        this.file = file;
        this.settings = settings;
        this.stages = stages;
        stages.accept(HERE + " reading it");
        facts = ModelFileFacts.of(file);
        roles = new Roles(facts);
        judge = new Judge(Tolerances.of(settings.tolerances()), facts);
        stages.accept(HERE + " making a session");
        optimised = new Side.Ours(engine, file, settings.options(true));
        stages.accept(HERE + " making a session that is not optimised");
        plain = new Side.Ours(engine, file, settings.options(false));
        stages.accept(THERE + " making a session");
        theirs = new Side.Theirs(runtime, file, settings.threads());
    }

    static Row run(
            Path file, Settings settings, Engine engine, OnnxRuntimeSession.Runtime runtime, Consumer<String> stages)
            throws IOException {
        var check = new ModelCheck(file, settings, engine, runtime, stages);
        try {
            return check.row();
        } finally {
            check.optimised.close();
            check.plain.close();
            check.theirs.close();
        }
    }

    private Row row() throws IOException {
        boolean isRefused = optimised.refusal() != null && plain.refusal() != null;
        if (theirs.refusal() != null && isRefused) {
            return row(Verdict.REFUSED, both(refusal(), theirs.refusal()));
        }
        List<ValueInfo> inputs = optimised.inputs() != null ? optimised.inputs() : plain.inputs();
        inputs = inputs == null ? facts.inputs() : inputs;
        if (inputs == null) {
            return row(Verdict.ONLY_THERE, "loaded there, and not run: " + refusal());
        }
        for (Path data : dataSets()) {
            stored(data, inputs);
        }
        long seed = Seeds.of(file, settings.seed());
        for (int draw = 0; draw < settings.draws(); draw++) {
            draw(draw, inputs, seed);
        }
        again();
        return verdict();
    }

    /** Returns the reason why this engine could not create both of its sessions. */
    private String refusal() {
        return optimised.refusal() != null ? optimised.refusal() : "not optimised, " + plain.refusal();
    }

    /** Returns the folders of inputs beside the model, if it is the only one there. */
    private List<Path> dataSets() throws IOException {
        Path folder = file.toAbsolutePath().resolveSibling("");
        try (Stream<Path> files = Files.list(folder)) {
            long models =
                    files.filter(other -> other.toString().endsWith(".onnx")).count();
            return models == 1 ? new BackendCase("", "", folder).dataSets() : List.of();
        }
    }

    private void stored(Path data, List<ValueInfo> declared) {
        var inputs = Inputs.empty();
        try {
            for (int i = 0; i < declared.size(); i++) {
                Path input = data.resolve("input_" + i + ".pb");
                if (Files.isRegularFile(input)) {
                    inputs.and(declared.get(i).name(), InputFiles.readPb(input, declared.get(i)));
                } else if (!declared.get(i).optional()) {
                    return;
                }
            }
        } catch (EngineException | IOException damaged) {
            // a file that cannot be read is no input
            return;
        }
        Trial trial = attempt(() -> inputs);
        if (trial != null) {
            trials.add(trial);
        }
    }

    /** Makes inputs up, in one way after another until all sides accept them. */
    private void draw(int number, List<ValueInfo> declared, long seed) {
        Trial best = number > 0 ? null : known(declared, seed);
        for (int i = way; i < InputDraw.WAYS.size() && (best == null || !best.isWhole()); i++) {
            InputDraw draw = InputDraw.WAYS.get(i);
            Trial trial = attempt(() -> draw.make(declared, roles, number, seed));
            if (trial != null && (best == null || trial.weight() > best.weight())) {
                best = trial;
                way = trial.isWhole() ? i : way;
            }
        }
        if (best != null) {
            trials.add(best);
        }
    }

    private @Nullable Trial known(List<ValueInfo> declared, long seed) {
        KnownModel known = ModelCatalog.findByFile(Objects.toString(file.getFileName()));
        return known == null ? null : attempt(() -> new InputMaker(known, Map.of(), seed).make(declared));
    }

    private @Nullable Trial attempt(Supplier<Inputs> maker) {
        Inputs inputs;
        try {
            inputs = maker.get();
        } catch (EngineException cannotBeMade) {
            return null;
        }
        Trial trial = trial(inputs);
        first = first == null && trial.isGood() ? inputs : first;
        return trial;
    }

    /** Runs the first inputs again after all others, in the same sessions, to show that no state is left in them. */
    private void again() {
        Inputs again = first;
        if (again != null && trials.size() > 1) {
            trials.add(trial(again).repeated());
        }
    }

    private Trial trial(Inputs inputs) {
        stages.accept(HERE + " running " + inputs);
        Side.Result fast = optimised.run(inputs);
        stages.accept(HERE + " running, not optimised, " + inputs);
        Side.Result slow = plain.run(inputs);
        stages.accept(THERE + " running " + inputs);
        Side.Result reference = theirs.run(inputs);
        stages.accept(HERE + " comparing");
        boolean ran = reference.answers() != null;
        boolean oursRan = fast.answers() != null && slow.answers() != null;
        String ours = fast.answers() == null ? fast.refusal() : "not optimised, " + slow.refusal();
        String refusal = ran ? ours : oursRan ? reference.refusal() : both(ours, reference.refusal());
        Map<String, Datum> expected = ran ? reference.answers() : slow.answers();
        String difference = difference("optimised", expected, fast);
        if (difference == null && ran) {
            difference = difference("not optimised", expected, slow);
        }
        return new Trial(inputs.toString(), ran, oursRan, difference, refusal);
    }

    private @Nullable String difference(String who, @Nullable Map<String, Datum> expected, Side.Result ours) {
        if (expected == null || ours.answers() == null) {
            return null;
        }
        String difference = judge.difference(expected, ours.answers());
        return difference == null ? null : who + ", " + difference;
    }

    private Row verdict() {
        for (Trial trial : trials) {
            if (trial.difference() != null) {
                return row(Verdict.DIFFER, trial.difference() + "; for " + trial.inputs());
            }
        }
        for (Trial trial : trials) {
            if (trial.ran() && !trial.oursRan()) {
                return row(Verdict.ONLY_THERE, trial.refusal() + "; for " + trial.inputs());
            }
        }
        long whole = trials.stream().filter(Trial::isWhole).count();
        if (whole > 0) {
            String how = facts.random() ? "by types and shapes only, it is random; " : "";
            return row(Verdict.AGREE, how + whole + " runs");
        }
        for (Trial trial : trials) {
            if (trial.oursRan()) {
                return row(Verdict.ONLY_HERE, trial.refusal());
            }
        }
        return trials.isEmpty()
                ? unrun()
                : row(Verdict.REFUSED, trials.getFirst().refusal());
    }

    /** Returns the row of a model for which no inputs could be made: that a side loads it counts as success. */
    private Row unrun() {
        boolean ours = optimised.refusal() == null && plain.refusal() == null;
        String why = "not run, as its inputs cannot be made up";
        if (ours) {
            return theirs.refusal() == null
                    ? row(Verdict.REFUSED, "loaded by both, and " + why)
                    : row(Verdict.ONLY_HERE, why + ": " + theirs.refusal());
        }
        return row(Verdict.ONLY_THERE, why + ": " + refusal());
    }

    private static String both(String ours, @Nullable String theirs) {
        return "Millrace: " + ours + " | ONNX Runtime: " + theirs;
    }

    private Row row(Verdict verdict, String reason) {
        boolean compared = trials.stream().anyMatch(Trial::isWhole);
        String told = reason.replace(file + ": ", "").replace("Load model from " + file + " failed:", "");
        return new Row(file.toString(), verdict, told, compared ? (Double) judge.worst() : null);
    }
}
