package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.BinaryImage;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Model;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Models that are compiled into one context binary, named after the first of them: weights that they have in common are
 * packed once and stand there once. Nothing is written before {@link #write}, and then all of it: a context model for each,
 * and the binary. A group of which one model failed writes nothing. Thread-safe.
 */
public final class ContextGroup implements AutoCloseable {
    private final List<Member> members = new ArrayList<>();
    private final Map<String, ContextBinaryWriter> binaries = new LinkedHashMap<>();
    private @Nullable String end;

    /** @param compiled what keeps packed weights known to the models after this one */
    private record Member(CompiledModel model, ContextOutput output, Object compiled) {}

    private ContextGroup() {}

    /** A group of no models. */
    public static ContextGroup create() {
        return new ContextGroup();
    }

    /** Throws where a model that goes to {@code output} cannot be one of this group. */
    public synchronized void check(ContextOutput output) {
        if (end != null) {
            throw EngineException.invalidArgument("this group of models takes no more: " + end);
        }
        Path model = output.model();
        if (model == null || output.embeds()) {
            throw EngineException.invalidArgument(
                    "models that share a context binary are files beside it: write them to"
                            + " files, with ep.context_embed_mode 0");
        }
        for (Member member : members) {
            Path other = member.output.requireModel();
            if (isSame(other, model)) {
                throw EngineException.invalidArgument("two models of a group are to be written to " + model);
            }
            if (!ContextOutput.folder(model).equals(ContextOutput.folder(other))) {
                throw EngineException.invalidArgument("models that share a context binary lie in one folder, and "
                        + model + " is to go elsewhere than " + other);
            }
            if (member.output.target() != output.target()) {
                throw EngineException.invalidArgument("models that share a context binary hand it to one target, and "
                        + model + " has another than " + other);
            }
        }
    }

    /**
     * Adds a model; one of which nothing was compiled is written as it is.
     *
     * @param holds is kept until the group is written, so that what it packed is found by the models after it
     */
    public synchronized void add(CompiledModel compiled, ContextOutput output, Object holds) {
        check(output);
        ContextOutput own = members.isEmpty() ? output : output.beside(members.getFirst().output);
        for (int i = 2; collides(compiled, own.prefix()); i++) {
            own = own.withPrefix("m" + i + "_" + output.prefix());
        }
        for (Map.Entry<String, ContextBinaryWriter> each : compiled.byProvider().entrySet()) {
            ContextModelWriter.checkOwn(each.getKey(), each.getValue().partitions(), compiled.parts());
            binaries.computeIfAbsent(each.getKey(), ContextBinaryWriter::new).addAll(each.getValue(), own.prefix());
        }
        members.add(new Member(compiled, own, holds));
    }

    private static boolean isSame(Path first, Path second) {
        return first.getFileName().equals(second.getFileName())
                && ContextOutput.folder(first).equals(ContextOutput.folder(second));
    }

    /** Whether partitions would have the names of others. */
    private boolean collides(CompiledModel compiled, String prefix) {
        return compiled.byProvider().entrySet().stream().anyMatch(each -> {
            ContextBinaryWriter all = binaries.get(each.getKey());
            return all != null
                    && each.getValue().partitions().stream()
                            .anyMatch(name -> all.partitions().contains(prefix + name));
        });
    }

    /** How many models there are. */
    public synchronized int size() {
        return members.size();
    }

    /** Whether models can be added. */
    public synchronized boolean isOpen() {
        return end == null;
    }

    /**
     * Writes a context model for each, and the binary, and ends the group. Where that fails, nothing is written.
     *
     * @return the context models
     */
    public synchronized List<Path> write() {
        if (end != null) {
            throw EngineException.invalidArgument("this group of models cannot be written: " + end);
        }
        try {
            List<Path> written = members.isEmpty() ? List.of() : writeAll();
            end("it was written");
            return written;
        } catch (RuntimeException | Error e) {
            end("writing it failed: " + e.getMessage());
            throw e;
        }
    }

    private List<Path> writeAll() {
        var images = new LinkedHashMap<String, BinaryImage>();
        binaries.forEach((provider, writer) -> {
            if (!writer.partitions().isEmpty()) {
                images.put(provider, writer.image(""));
            }
        });
        ContextOutput first = members.getFirst().output;
        ContextModelWriter.written(() -> {
            try (var staging = new Staging(first.requireModel())) {
                ContextModelWriter.stageBinaries(staging, images, first);
                for (Member member : members) {
                    Model model = ContextModel.of(member.model, images, member.output);
                    ContextModelWriter.stageModel(staging, model, member.model, member.output);
                    member.output.check(member.model.model());
                }
                ContextModelWriter.handOver(images, first);
                staging.publish();
            }
        });
        return members.stream().map(member -> member.output.requireModel()).toList();
    }

    /** Ends the group without writing anything, because one of its models failed. */
    public synchronized void fail(String why) {
        if (end == null) {
            end("one of its models failed: " + why);
        }
    }

    private void end(String how) {
        end = how;
        members.clear();
        binaries.clear();
    }

    /** Ends the group; what was not written is forgotten. */
    @Override
    public synchronized void close() {
        if (end == null) {
            end("it is closed");
        }
    }
}
