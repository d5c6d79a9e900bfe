package dev.laneway.cli.live;

import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.ops.GroupLag;
import dev.laneway.ops.LagFailure;
import dev.laneway.ops.LagMonitor;
import dev.laneway.ops.LagOptions;
import dev.laneway.ops.RecordProbe;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.IsolationLevel;

/**
 * A client of the brokers of a group that exists. Immutable.
 *
 * @param config how it connects
 */
record GroupClient(Admin admin, Map<String, Object> config) implements AutoCloseable {
    /**
     * Connects. A group that does not exist is one sentence here, not a page that shows nothing.
     *
     * @throws VerbFailure if no broker answers, or the group cannot be seen
     */
    static GroupClient connect(Connection connection, String group) throws InterruptedException {
        Map<String, Object> config = new HashMap<>(connection.kafkaConfig(Connection.LOCAL));
        try (Cluster _ = Cluster.connect(config, connection.brokerLimit())) {
            // A broker answers: a later failure has another reason.
        }
        int millis = (int) Math.min(Integer.MAX_VALUE, connection.brokerLimit().toMillis());
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
        Admin admin = Admin.create(config);
        try {
            LagOptions options = new LagOptions(IsolationLevel.READ_UNCOMMITTED, connection.brokerLimit());
            GroupLag _ = new LagMonitor(admin, options, RecordProbe.NONE).sample(group);
            return new GroupClient(admin, config);
        } catch (LagFailure failed) {
            admin.close();
            throw new VerbFailure(String.valueOf(failed.getMessage()), failed);
        }
    }

    @Override
    public void close() {
        admin.close();
    }
}
