package dev.millrace.server.endpoint;

import dev.millrace.server.model.RunObservations;
import dev.millrace.server.repository.ModelRepository;
import dev.millrace.server.repository.RepositoryControl;
import dev.millrace.server.setting.ServerSettings;
import dev.millrace.server.timeline.RecentRequests;
import java.util.function.BooleanSupplier;

/**
 * The parts of a server that its ports share.
 *
 * @param control changes the repository on request
 * @param ready whether the server takes requests
 * @param runs whose registry requests are observed with
 * @param recent keeps the times of requests to models
 */
public record SharedParts(
        ModelRepository repository,
        RepositoryControl control,
        ServerSettings settings,
        AccessRules access,
        AnswerCompression compression,
        BooleanSupplier ready,
        RunObservations runs,
        RecentRequests recent) {}
