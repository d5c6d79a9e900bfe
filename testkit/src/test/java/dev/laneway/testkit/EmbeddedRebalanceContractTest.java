package dev.laneway.testkit;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@DisplayName("Contract on a real broker: rebalances")
class EmbeddedRebalanceContractTest extends RebalanceContract {
    @Override
    ContractCluster connect() {
        return new EmbeddedContractCluster(EmbeddedKafka.shared());
    }
}
