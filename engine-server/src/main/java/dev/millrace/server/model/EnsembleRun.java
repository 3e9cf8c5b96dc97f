package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelEnsembling;
import dev.millrace.server.protocol.ModelInput;
import dev.millrace.session.Outputs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.MonoSink;

/** One request on its way through an ensemble. */
final class EnsembleRun implements Disposable {
    private final EnsembleModel.Members members;
    private final InferRequest request;
    private final List<String> wanted;
    private final MonoSink<Outputs> sink;
    /** The optional inputs of the ensemble that the request does not have. Steps that read them go without. */
    private final Set<String> absent;

    private final Disposable.Composite running = Disposables.composite();

    /** The tensors so far, by their names in the ensemble. Guarded by this, like all below. */
    private final Map<String, Tensor> tensors = new HashMap<>();

    private final List<ModelEnsembling.Step> waiting;
    /** The answers of steps, to be closed. */
    private final List<Outputs> answers = new ArrayList<>();

    private int active;
    private boolean ended;

    EnsembleRun(
            ModelConfig config,
            EnsembleModel.Members members,
            InferRequest request,
            List<String> wanted,
            MonoSink<Outputs> sink) {
        this.members = members;
        this.request = request;
        this.wanted = wanted;
        this.sink = sink;
        waiting = new ArrayList<>(config.getEnsembleScheduling().getStepList());
        absent = config.getInputList().stream()
                .map(ModelInput::getName)
                .filter(name -> !request.inputs().containsKey(name))
                .collect(Collectors.toSet());
    }

    void begin(Map<String, Tensor> inputs) {
        synchronized (this) {
            tensors.putAll(inputs);
        }
        proceed();
    }

    /** Starts the steps whose tensors are there, or ends the run if no step is under way. */
    private void proceed() {
        var ready = new ArrayList<ModelEnsembling.Step>();
        boolean isDone;
        synchronized (this) {
            if (ended) {
                return;
            }
            for (ModelEnsembling.Step step : List.copyOf(waiting)) {
                if (step.getInputMapMap().values().stream()
                        .allMatch(name -> tensors.containsKey(name) || absent.contains(name))) {
                    waiting.remove(step);
                    ready.add(step);
                }
            }
            active += ready.size();
            isDone = active == 0;
            ended = isDone;
        }
        if (isDone) {
            finish();
        } else {
            ready.forEach(this::start);
        }
    }

    private void start(ModelEnsembling.Step step) {
        var inputs = new LinkedHashMap<String, Tensor>();
        synchronized (this) {
            step.getInputMapMap().forEach((input, name) -> {
                Tensor tensor = tensors.get(name);
                if (tensor != null) {
                    inputs.put(input, tensor);
                }
            });
        }
        String version = step.getModelVersion() > 0 ? Long.toString(step.getModelVersion()) : "";
        var names = List.copyOf(step.getOutputMapMap().keySet());
        running.add(members.infer(step.getModelName(), version, request.step(inputs, names))
                .contextWrite(sink.contextView())
                .subscribe(answer -> stepEnded(step, answer), this::fail));
    }

    private void stepEnded(ModelEnsembling.Step step, Outputs answer) {
        synchronized (this) {
            active--;
            answers.add(answer);
            if (!ended) {
                step.getOutputMapMap().forEach((output, tensor) -> tensors.put(tensor, answer.get(output)));
            }
        }
        if (isEnded()) {
            closeAll(List.of());
        } else {
            proceed();
        }
    }

    private void finish() {
        var results = new ArrayList<Datum>();
        for (String name : wanted) {
            Tensor tensor = tensors.get(name);
            if (tensor == null) {
                closeAll(List.of());
                sink.error(EngineException.invalidArgument(
                        "output '" + name + "' is an optional input, which the request does not have"));
                return;
            }
            results.add(tensor);
        }
        closeAll(results);
        sink.success(new Outputs(wanted, results.toArray(new Datum[0])));
    }

    private void fail(Throwable failure) {
        boolean first;
        synchronized (this) {
            active--;
            first = !ended;
            ended = true;
        }
        if (first) {
            running.dispose();
            closeAll(List.of());
            sink.error(EngineException.wrap(Status.FAIL, "ensemble", failure));
        }
    }

    private synchronized boolean isEnded() {
        return ended;
    }

    /** Closes what the steps answered, except these. */
    private synchronized void closeAll(List<Datum> kept) {
        for (Outputs answer : answers) {
            for (Datum value : answer.asMap().values()) {
                if (!kept.contains(value)) {
                    value.close();
                }
            }
        }
        answers.clear();
    }

    @Override
    public void dispose() {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        running.dispose();
        closeAll(List.of());
    }
}
