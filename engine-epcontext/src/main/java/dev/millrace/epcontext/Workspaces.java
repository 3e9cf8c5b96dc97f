package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.CheckedWeights;
import dev.millrace.graph.EngineException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The workspaces of an engine, one for each provider, and its context groups, one for each folder into which sessions
 * with {@code ep.share_ep_contexts} compile. Thread-safe.
 */
public final class Workspaces implements AutoCloseable {
    private final ConcurrentHashMap<String, Workspace> byProvider = new ConcurrentHashMap<>();

    private final ConcurrentHashMap<Path, ContextGroup> byFolder = new ConcurrentHashMap<>();

    private final CheckedWeights checkedWeights = new CheckedWeights();

    /** Returns the group that a model with this output belongs to, or null if it belongs to none. */
    public @Nullable ContextGroup group(EpContextOptions options, ContextOutput output) {
        if (!options.enable()) {
            return null;
        }
        ContextGroup named = options.group();
        if (named != null) {
            named.check(output);
            return named;
        }
        if (!options.share()) {
            if (options.stopShare()) {
                throw EngineException.invalidArgument(
                        "ep.stop_share_ep_contexts ends a group, and ep.share_ep_contexts, which makes one, is not"
                                + " set");
            }
            return null;
        }
        Path model = output.model();
        if (model == null) {
            throw EngineException.invalidArgument("ep.share_ep_contexts needs a file to write the model to");
        }
        ContextGroup group = byFolder.compute(
                ContextOutput.folder(model),
                (_, known) -> known != null && known.isOpen() ? known : ContextGroup.create());
        group.check(output);
        return group;
    }

    /** Ends the group of the models that are compiled into the folder of a model, because one of them failed. */
    public void failGroup(Path model, String why) {
        ContextGroup group = byFolder.remove(ContextOutput.folder(model));
        if (group != null) {
            group.fail(why);
        }
    }

    /** Ends the groups that are still open, of which nothing was written, with a warning for each. */
    @Override
    public void close() {
        byFolder.forEach((folder, group) -> {
            int models = group.size();
            group.close();
            if (models > 0) {
                System.getLogger(Workspaces.class.getName())
                        .log(
                                System.Logger.Level.WARNING,
                                models + " models that were compiled into " + folder
                                        + " with ep.share_ep_contexts are not"
                                        + " written: no session after them had ep.stop_share_ep_contexts");
            }
        });
        byFolder.clear();
    }

    /** The record of the weights named by binaries that were verified already. */
    CheckedWeights checkedWeights() {
        return checkedWeights;
    }

    public Workspace of(String provider) {
        return byProvider.computeIfAbsent(provider, Workspace::new);
    }
}
