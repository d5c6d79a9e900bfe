package dev.laneway.testkit;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on the simulation: rebalances")
class SimRebalanceContractTest extends RebalanceContract {
    @Override
    ContractCluster connect() {
        return new SimContractCluster();
    }
}
